package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A service of bytes for tests: echoes, fails, waits. Payloads are derived from a seed, so that every response can be
 * checked.
 */
public final class Echo {

    static final String SERVICE = "test.Echo";
    static final ServiceContract.Method ECHO = method("byte[] echo(byte[])");
    static final ServiceContract.Method INLINE_ECHO = method("byte[] inlineEcho(byte[])");
    static final ServiceContract.Method FAIL = method("void fail(byte[])");
    static final ServiceContract.Method SLOW = method("byte[] slow(byte[])");
    static final ServiceContract CONTRACT =
            new ServiceContract(SERVICE, List.of(ECHO, INLINE_ECHO, FAIL, SLOW), List.of());

    private Echo() {}

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId(SERVICE, signature), signature);
    }

    static ServiceExport export(Executor executor) {
        return new ServiceExport(
                CONTRACT,
                List.of(
                        new ServiceExport.Method(ECHO.id(), echo(), executor),
                        new ServiceExport.Method(INLINE_ECHO.id(), echo(), null),
                        new ServiceExport.Method(
                                FAIL.id(),
                                request -> {
                                    throw new IllegalStateException("rejected on purpose");
                                },
                                executor),
                        new ServiceExport.Method(
                                SLOW.id(),
                                request -> {
                                    Thread.sleep(400);
                                    echo().handle(request);
                                },
                                executor)));
    }

    private static RequestHandler echo() {
        return request -> {
            int length = request.message().length();
            MessageBuffer reply = request.allocate(length);
            MemorySegment.copy(request.message().payload(), 0, reply.segment(), 0, length);
            reply.length(length);
            request.respond(reply);
        };
    }

    /** Returns a payload of pseudo-random bytes. */
    static byte[] payload(int length, long seed) {
        byte[] bytes = new byte[length];
        long state = seed * 0x9E3779B97F4A7C15L + 1;
        for (int i = 0; i < length; i++) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            bytes[i] = (byte) state;
        }
        return bytes;
    }

    static long checksum(MemorySegment bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.asByteBuffer());
        return crc.getValue();
    }

    static CompletableFuture<byte[]> call(RpcSession session, int methodId, byte[] payload, Duration timeout) {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        MessageBuffer request = session.allocate(payload.length);
        MemorySegment.copy(payload, 0, request.segment(), ValueLayout.JAVA_BYTE, 0, payload.length);
        request.length(payload.length);
        session.call(methodId, request, timeout.toNanos(), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                try (response) {
                    result.complete(response.payload().toArray(ValueLayout.JAVA_BYTE));
                }
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    /** Returns a description of the difference between request and response, null without one. */
    static @Nullable String difference(byte[] sent, byte[] received) {
        if (sent.length != received.length) {
            return sent.length + " bytes sent, " + received.length + " received";
        }
        int at = java.util.Arrays.mismatch(sent, received);
        return at < 0 ? null : "byte " + at + " of " + sent.length + " differs";
    }
}
