/** Rows of CSV files, tables in Markdown, and the numbers in them. */
@NullMarked
package io.rdmarpc.benchmarks.table;

import org.jspecify.annotations.NullMarked;
