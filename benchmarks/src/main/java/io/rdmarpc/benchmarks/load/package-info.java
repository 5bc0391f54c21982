/** How calls between two processes are measured: closed loop or paced, with latencies and processor time. */
@NullMarked
package io.rdmarpc.benchmarks.load;

import org.jspecify.annotations.NullMarked;
