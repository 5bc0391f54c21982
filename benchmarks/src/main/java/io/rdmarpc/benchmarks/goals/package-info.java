/**
 * The goals: what is measured for each, how it is scored, and the report. What settings do is measured in the same way, and scored
 * by nobody.
 */
@NullMarked
package io.rdmarpc.benchmarks.goals;

import org.jspecify.annotations.NullMarked;
