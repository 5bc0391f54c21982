/** Measures calls per second by the number of threads. */
@NullMarked
package io.rdmarpc.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
