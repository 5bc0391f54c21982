/** Classes that examples and benchmarks share. */
@NullMarked
package io.rdmarpc.benchmarks;

import org.jspecify.annotations.NullMarked;
