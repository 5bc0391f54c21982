/** The software RNIC beside bare programs: one table with a goal in each row. */
@NullMarked
package io.rdmarpc.benchmarks.table;

import org.jspecify.annotations.NullMarked;
