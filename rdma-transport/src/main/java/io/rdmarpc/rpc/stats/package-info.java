/** Snapshots of the counters of the RPC engine. */
@NullMarked
package io.rdmarpc.rpc.stats;

import org.jspecify.annotations.NullMarked;
