/**
 * The commands of {@code benchmarks/run}: commands that measure and write CSV files, and {@link Report}, which
 * generates tables and plots from such files.
 */
@NullMarked
package io.rdmarpc.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
