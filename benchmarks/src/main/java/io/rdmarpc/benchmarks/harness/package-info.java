/**
 * The commands of {@code benchmarks/run}: runners that measure and write CSV files, and {@link Report}, which draws tables and plots from
 * such files.
 */
@NullMarked
package io.rdmarpc.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
