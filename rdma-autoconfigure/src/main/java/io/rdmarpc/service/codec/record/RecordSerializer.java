package io.rdmarpc.service.codec.record;

import io.rdmarpc.service.codec.kryo.value.LinkedSerializer;
import io.rdmarpc.service.codec.type.Members;

/**
 * Serializes a record as its components in the order of declaration, and creates it with its canonical constructor.
 * The declared type of a component determines its encoding. Primitives have no type information, final classes one
 * byte for null, and all others the number of their class. {@link RecordCompiler} generates a subclass for each
 * record. {@link ReflectiveRecordSerializer} writes the same bytes where code generation is not possible.
 */
abstract class RecordSerializer extends MemberwiseSerializer implements LinkedSerializer {

    RecordSerializer(Members members) {
        super(members, true);
    }
}
