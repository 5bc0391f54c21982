package io.rdmarpc.service.codec;

class KryoEvolvingContractTest extends SerializerContract {

    @Override
    CodecFixture fixture(SerializationSettings settings) {
        return CodecFixture.kryo(Everything.class, settings.withEvolution(Evolution.COMPATIBLE));
    }
}
