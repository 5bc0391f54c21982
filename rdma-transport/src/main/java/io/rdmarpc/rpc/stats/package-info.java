/** Snapshots of what the RPC engine counts. */
@NullMarked
package io.rdmarpc.rpc.stats;

import org.jspecify.annotations.NullMarked;
