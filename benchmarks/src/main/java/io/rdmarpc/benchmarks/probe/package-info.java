/**
 * Probes of the machine without RDMA: small programs that move bytes between two processes with minimal code. A figure
 * of the software RNIC is meaningful only in comparison with a probe of the same run.
 */
@NullMarked
package io.rdmarpc.benchmarks.probe;

import org.jspecify.annotations.NullMarked;
