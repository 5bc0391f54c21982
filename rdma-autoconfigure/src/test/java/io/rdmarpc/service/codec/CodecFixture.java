package io.rdmarpc.service.codec;

import io.rdmarpc.service.Messages;
import io.rdmarpc.service.ServiceDescription;
import io.rdmarpc.service.ServiceMethod;
import java.util.List;

/** A codec, its methods by name, and messages for it. */
final class CodecFixture {

    final Messages messages = new Messages();
    final ServiceDescription service;
    final ServiceCodec codec;

    CodecFixture(Class<?> type, KryoCustomizer... customizers) {
        service = ServiceDescription.of(type);
        codec = new ServiceCodecFactory(type.getClassLoader(), List.of(customizers)).codecOf(service);
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
