/** How calls between two processes are measured, whoever makes them: closed loop or paced, with latencies and processor time. */
@NullMarked
package io.rdmarpc.benchmarks.load;

import org.jspecify.annotations.NullMarked;
