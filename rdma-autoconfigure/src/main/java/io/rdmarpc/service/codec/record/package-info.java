/**
 * Internal: serializers of records, generated or by reflection. Its classes are public for {@code kryo} only.
 */
@NullMarked
package io.rdmarpc.service.codec.record;

import org.jspecify.annotations.NullMarked;
