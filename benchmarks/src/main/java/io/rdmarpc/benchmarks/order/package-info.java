/** The typed call that is measured: a record of six components with three lines, answered by another. */
@NullMarked
package io.rdmarpc.benchmarks.order;

import org.jspecify.annotations.NullMarked;
