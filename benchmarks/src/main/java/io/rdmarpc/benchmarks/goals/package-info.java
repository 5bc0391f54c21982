/** The goals: what is measured for each, how it is scored, and the report. */
@NullMarked
package io.rdmarpc.benchmarks.goals;

import org.jspecify.annotations.NullMarked;
