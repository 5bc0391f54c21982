package io.rdmarpc.service.codec;

import io.rdmarpc.service.Messages;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** A codec, its methods by name, and messages for it. */
public final class CodecFixture {

    public final Messages messages = new Messages();
    public final ServiceDescription service;
    public final ServiceCodec codec;

    public CodecFixture(Class<?> type, KryoCustomizer... customizers) {
        this(type, new KryoRdmaSerializer(type.getClassLoader(), List.of(customizers), SerializationSettings.DEFAULTS));
    }

    public CodecFixture(Class<?> type, RdmaSerializer serializer) {
        this(type, serializer, Integer.MAX_VALUE);
    }

    public CodecFixture(Class<?> type, RdmaSerializer serializer, int maxBytes) {
        service = ServiceDescription.of(type);
        codec = new ServiceCodecFactory(serializer, maxBytes).codecOf(service);
    }

    public static CodecFixture kryo(Class<?> type, SerializationSettings settings) {
        return new CodecFixture(type, new KryoRdmaSerializer(type.getClassLoader(), List.of(), settings));
    }

    public static CodecFixture json(Class<?> type, SerializationSettings settings) {
        return new CodecFixture(
                type, new JsonRdmaSerializer(JsonMapper.builder().build(), settings));
    }

    public MethodCodec method(String name) {
        ServiceMethod method = service.methods().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return codec.method(method);
    }

    public byte[] arguments(String method, Object... args) {
        return Messages.send(method(method).encodeArguments(messages.allocator(), args));
    }

    public Object[] readArguments(String method, byte[] bytes) {
        return method(method).decodeArguments(Messages.received(bytes));
    }

    public Object[] copyArguments(String method, Object... args) {
        return readArguments(method, arguments(method, args));
    }

    public byte[] result(String method, Object value) {
        return Messages.send(method(method).encodeResult(messages.allocator(), value));
    }

    public Object readResult(String method, byte[] bytes) {
        return method(method).decodeResult(Messages.received(bytes));
    }

    public Object copyResult(String method, Object value) {
        return readResult(method, result(method, value));
    }
}
