/** The RPC engine between two processes, on bytes. */
@NullMarked
package io.rdmarpc.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
