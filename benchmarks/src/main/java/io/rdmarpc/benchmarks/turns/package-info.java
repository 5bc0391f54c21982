/**
 * Pairs of long-lived processes that run in alternating turns, to measure differences of some percent on a busy
 * machine.
 */
@NullMarked
package io.rdmarpc.benchmarks.turns;

import org.jspecify.annotations.NullMarked;
