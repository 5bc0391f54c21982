/**
 * Internal: serializers of records, with generated code or reflection. Classes are public only for {@code kryo}.
 */
@NullMarked
package io.rdmarpc.service.codec.record;

import org.jspecify.annotations.NullMarked;
