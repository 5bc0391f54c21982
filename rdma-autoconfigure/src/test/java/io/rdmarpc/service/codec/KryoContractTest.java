package io.rdmarpc.service.codec;

class KryoContractTest extends SerializerContract {

    @Override
    CodecFixture fixture(SerializationSettings settings) {
        return CodecFixture.kryo(Everything.class, settings);
    }
}
