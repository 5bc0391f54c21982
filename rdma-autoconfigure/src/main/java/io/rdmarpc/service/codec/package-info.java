/**
 * How arguments and results become bytes in registered memory. {@link io.rdmarpc.service.codec.RdmaSerializer} is the contract of a
 * format. {@code RegionScope} and {@code RdmaMessageBudgetException} are public for the packages of formats only.
 */
@NullMarked
package io.rdmarpc.service.codec;

import org.jspecify.annotations.NullMarked;
