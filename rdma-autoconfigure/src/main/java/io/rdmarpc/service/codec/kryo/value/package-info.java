/**
 * Internal: the Kryo of a service with its input and output, and serializers of standard types. Classes are public
 * for {@code kryo}, {@code record} and the code that {@code record} generates.
 */
@NullMarked
package io.rdmarpc.service.codec.kryo.value;

import org.jspecify.annotations.NullMarked;
