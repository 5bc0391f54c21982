/** READs of remote memory, and of bare verbs to compare with. */
@NullMarked
package io.rdmarpc.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
