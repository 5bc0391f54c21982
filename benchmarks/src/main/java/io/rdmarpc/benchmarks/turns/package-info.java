/** Pairs of processes that stay alive and take turns: what differs by some percent on a machine that is not quiet. */
@NullMarked
package io.rdmarpc.benchmarks.turns;

import org.jspecify.annotations.NullMarked;
