/**
 * Internal: the serializable classes of a service, their shapes, and their numbers in messages. Classes are public
 * only for the other packages of {@code service.codec}.
 */
@NullMarked
package io.rdmarpc.service.codec.type;

import org.jspecify.annotations.NullMarked;
