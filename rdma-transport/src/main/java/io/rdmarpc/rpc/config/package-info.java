/** Immutable settings of the RPC engine and of its control connections. */
@NullMarked
package io.rdmarpc.rpc.config;

import org.jspecify.annotations.NullMarked;
