/** Measures the cost of many sessions for one polling thread: throughput, memory, and the rate of opening sessions. */
@NullMarked
package io.rdmarpc.benchmarks.sessions;

import org.jspecify.annotations.NullMarked;
