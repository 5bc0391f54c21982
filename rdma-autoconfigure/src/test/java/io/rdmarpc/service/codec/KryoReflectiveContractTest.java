package io.rdmarpc.service.codec;

import io.rdmarpc.service.codec.kryo.KryoFormats;
import java.util.List;

class KryoReflectiveContractTest extends SerializerContract {

    @Override
    CodecFixture fixture(SerializationSettings settings) {
        return new CodecFixture(
                Everything.class, KryoFormats.kryo(Everything.class.getClassLoader(), List.of(), settings, false));
    }
}
