package io.rdmarpc.service.codec;

class JsonContractTest extends SerializerContract {

    @Override
    CodecFixture fixture(SerializationSettings settings) {
        return CodecFixture.json(Everything.class, settings);
    }
}
