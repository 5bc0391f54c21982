/**
 * Serialization of arguments and results to registered memory. {@link io.rdmarpc.service.codec.RdmaSerializer} is the
 * contract of a format. {@code RegionScope} and {@code RdmaMessageBudgetException} are public only for the packages of
 * formats.
 */
@NullMarked
package io.rdmarpc.service.codec;

import org.jspecify.annotations.NullMarked;
