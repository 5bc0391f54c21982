/** The RPC engine between two processes, on bytes, beside what this machine can do without it. */
@NullMarked
package io.rdmarpc.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
