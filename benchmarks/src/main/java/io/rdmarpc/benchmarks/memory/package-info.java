/** READs of remote memory, and of bare verbs beside them. */
@NullMarked
package io.rdmarpc.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
