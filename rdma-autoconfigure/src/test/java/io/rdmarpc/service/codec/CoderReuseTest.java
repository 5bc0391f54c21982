package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.TestBuffers;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.service.Messages;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Failures that discard a coder")
class CoderReuseTest {

    @RdmaService
    interface Files {

        void store(List<Part> parts);
    }

    record Part(String name, List<String> lines) {}

    private static final List<Part> SMALL = List.of(new Part("a", List.of("b")));
    private static final List<Part> LARGE = IntStream.range(0, 1_000)
            .mapToObj(i -> new Part("part " + i, List.of("line 1 of " + i, "line 2 of " + i)))
            .toList();

    private final AtomicInteger made = new AtomicInteger();
    private final Messages messages = new Messages();
    private final MethodCodec codec = codec();

    private MethodCodec codec() {
        RdmaSerializer kryo =
                new KryoRdmaSerializer(getClass().getClassLoader(), List.of(), SerializationSettings.DEFAULTS);
        RdmaSerializer counting = (service, shapes) -> {
            ServiceSerializer format = kryo.forService(service, shapes);
            return new ServiceSerializer() {
                @Override
                public List<ServiceContract.Type> types() {
                    return format.types();
                }

                @Override
                public MessageCoder newCoder() {
                    made.incrementAndGet();
                    return format.newCoder();
                }
            };
        };
        ServiceDescription service = ServiceDescription.of(Files.class);
        return new ServiceCodecFactory(counting, Integer.MAX_VALUE)
                .codecOf(service)
                .method(service.calls().getFirst());
    }

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(messages.open()).isZero();
    }

    /** Allocates at most the given number of buffers. */
    private MessageAllocator scarce(int buffers) {
        MessageAllocator all = messages.allocator();
        AtomicInteger left = new AtomicInteger(buffers);
        return new MessageAllocator() {
            @Override
            public MessageBuffer allocate(int capacityBytes) {
                if (left.decrementAndGet() < 0) {
                    throw TestBuffers.noMemoryFor(capacityBytes);
                }
                return all.allocate(capacityBytes);
            }

            @Override
            public int maxPacketPayload() {
                return all.maxPacketPayload();
            }

            @Override
            public int maxMessageBytes() {
                return all.maxMessageBytes();
            }
        };
    }

    private byte[] written(List<Part> parts) {
        return Messages.send(codec.encodeArguments(messages.allocator(), new Object[] {parts}));
    }

    private <T extends RdmaRpcException> void fails(Class<T> type, MessageAllocator allocator, List<Part> parts) {
        assertThatExceptionOfType(type).isThrownBy(() -> codec.encodeArguments(allocator, new Object[] {parts}));
    }

    @Test
    void whenThereIsNoMemoryThenTheCoderIsReused() {
        byte[] before = written(SMALL);
        int coders = made.get();

        for (int i = 0; i < 10; i++) {
            fails(RdmaBackpressureException.class, scarce(0), SMALL);
            fails(RdmaBackpressureException.class, scarce(1), LARGE);
            fails(RdmaMessageTooLargeException.class, messages.allocator(Messages.PACKET), LARGE);
            assertThat(written(SMALL)).isEqualTo(before);
        }

        assertThat(made).hasValue(coders);
    }

    @Test
    void whenAValueCannotBeWrittenThenTheCoderIsDiscarded() {
        assertThat(written(SMALL)).isNotEmpty();
        int coders = made.get();

        fails(RdmaRpcException.class, messages.allocator(), List.of(new Part("x", new Unknown())));
        assertThat(written(SMALL)).isNotEmpty();

        assertThat(made).hasValue(coders + 1);
    }

    /** A list that cannot be read completely. */
    private static final class Unknown extends AbstractList<String> {

        @Override
        public String get(int index) {
            throw new IndexOutOfBoundsException(index);
        }

        @Override
        public int size() {
            return 1;
        }
    }
}
