/**
 * Internal: limits of the cost of one message for the process that reads it. Classes are public only for {@code kryo}
 * and {@code json}.
 */
@NullMarked
package io.rdmarpc.service.codec.limit;

import org.jspecify.annotations.NullMarked;
