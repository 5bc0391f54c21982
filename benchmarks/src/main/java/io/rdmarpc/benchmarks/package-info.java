/** Shared by the examples and the benchmarks. */
@NullMarked
package io.rdmarpc.benchmarks;

import org.jspecify.annotations.NullMarked;
