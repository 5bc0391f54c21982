package io.rdmarpc.service.codec;

import java.util.List;

class KryoReflectiveContractTest extends SerializerContract {

    @Override
    CodecFixture fixture(SerializationSettings settings) {
        return new CodecFixture(
                Everything.class,
                new KryoRdmaSerializer(
                        Everything.class.getClassLoader(), List.of(), settings, RegionReferences.NONE, false));
    }
}
