/** Measures calls between two processes, in a closed loop or paced, with latency and CPU time. */
@NullMarked
package io.rdmarpc.benchmarks.load;

import org.jspecify.annotations.NullMarked;
