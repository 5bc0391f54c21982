/** The software RNIC, and the engine on it, beside bare programs: tables with a goal in each row. */
@NullMarked
package io.rdmarpc.benchmarks.table;

import org.jspecify.annotations.NullMarked;
