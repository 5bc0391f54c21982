/**
 * Internal: how one value is written and read: the Kryo of a service with its input and output, and serializers of standard types.
 * Its classes are public for {@code kryo}, for {@code record} and for the code that {@code record} generates.
 */
@NullMarked
package io.rdmarpc.service.codec.kryo.value;

import org.jspecify.annotations.NullMarked;
