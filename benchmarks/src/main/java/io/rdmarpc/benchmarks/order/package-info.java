/**
 * The typed call that benchmarks measure: a record of six components with three order lines, and another as response.
 */
@NullMarked
package io.rdmarpc.benchmarks.order;

import org.jspecify.annotations.NullMarked;
