/** Benchmarks of READs from remote memory, and of READs by bare verbs for comparison. */
@NullMarked
package io.rdmarpc.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
