/** What many sessions cost one polling thread: throughput, memory, and how fast they come. */
@NullMarked
package io.rdmarpc.benchmarks.sessions;

import org.jspecify.annotations.NullMarked;
