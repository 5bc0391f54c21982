/** Who is measured: this project at its levels, and what else a user could take. One class each. */
@NullMarked
package io.rdmarpc.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
