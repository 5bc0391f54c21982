/**
 * Internal: what one message may cost the process that reads it. Its classes are public for {@code kryo} and {@code json} only.
 */
@NullMarked
package io.rdmarpc.service.codec.limit;

import org.jspecify.annotations.NullMarked;
