/**
 * Internal: which classes can travel in the calls of a service, their shapes, and their numbers in messages. Its classes are public
 * for the other packages of {@code service.codec} only.
 */
@NullMarked
package io.rdmarpc.service.codec.type;

import org.jspecify.annotations.NullMarked;
