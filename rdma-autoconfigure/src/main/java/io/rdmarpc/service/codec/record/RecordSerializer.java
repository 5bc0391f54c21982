package io.rdmarpc.service.codec.record;

import io.rdmarpc.service.codec.kryo.value.LinkedSerializer;
import io.rdmarpc.service.codec.type.Members;

/**
 * Writes a record as its components in the order of their declaration, and reads it through its canonical constructor. How a
 * component is written follows from its declared type: primitives need no word about their type, final classes one byte for
 * null, all others the number of their class. {@link RecordCompiler} makes one class of it for each record;
 * {@link ReflectiveRecordSerializer} writes the same bytes where that is not possible.
 */
abstract class RecordSerializer extends MemberwiseSerializer implements LinkedSerializer {

    RecordSerializer(Members members) {
        super(members, true);
    }
}
