/** The measured libraries, one class each: this project at its levels, and alternatives for users. */
@NullMarked
package io.rdmarpc.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
