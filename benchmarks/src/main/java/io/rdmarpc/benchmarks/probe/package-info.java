/**
 * What the machine can do without RDMA: small programs that move bytes between two processes in the barest way. A number
 * of the software RNIC means something only compared with one of these in the same run.
 */
@NullMarked
package io.rdmarpc.benchmarks.probe;

import org.jspecify.annotations.NullMarked;
