/** Benchmarks of the RPC engine between two processes, with bytes as payload. */
@NullMarked
package io.rdmarpc.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
