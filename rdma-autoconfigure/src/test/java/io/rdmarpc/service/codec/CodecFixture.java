package io.rdmarpc.service.codec;

import io.rdmarpc.service.Messages;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** A codec, its methods by name, and messages for it. */
final class CodecFixture {

    final Messages messages = new Messages();
    final ServiceDescription service;
    final ServiceCodec codec;

    CodecFixture(Class<?> type, KryoCustomizer... customizers) {
        this(type, new KryoRdmaSerializer(type.getClassLoader(), List.of(customizers), SerializationSettings.DEFAULTS));
    }

    CodecFixture(Class<?> type, RdmaSerializer serializer) {
        this(type, serializer, Integer.MAX_VALUE);
    }

    CodecFixture(Class<?> type, RdmaSerializer serializer, int maxBytes) {
        service = ServiceDescription.of(type);
        codec = new ServiceCodecFactory(serializer, maxBytes).codecOf(service);
    }

    static CodecFixture kryo(Class<?> type, SerializationSettings settings) {
        return new CodecFixture(type, new KryoRdmaSerializer(type.getClassLoader(), List.of(), settings));
    }

    static CodecFixture json(Class<?> type, SerializationSettings settings) {
        return new CodecFixture(
                type, new JsonRdmaSerializer(JsonMapper.builder().build(), settings));
    }

    MethodCodec method(String name) {
        ServiceMethod method = service.methods().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return codec.method(method);
    }

    byte[] arguments(String method, Object... args) {
        return Messages.send(method(method).encodeArguments(messages.allocator(), args));
    }

    Object[] readArguments(String method, byte[] bytes) {
        return method(method).decodeArguments(Messages.received(bytes));
    }

    Object[] copyArguments(String method, Object... args) {
        return readArguments(method, arguments(method, args));
    }

    byte[] result(String method, Object value) {
        return Messages.send(method(method).encodeResult(messages.allocator(), value));
    }

    Object readResult(String method, byte[] bytes) {
        return method(method).decodeResult(Messages.received(bytes));
    }

    Object copyResult(String method, Object value) {
        return readResult(method, result(method, value));
    }
}
