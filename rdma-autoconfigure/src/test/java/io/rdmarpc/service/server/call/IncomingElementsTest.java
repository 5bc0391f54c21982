package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.service.FakeStream;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;

@Timeout(20)
@DisplayName("Streamed arguments at the server")
class IncomingElementsTest {

    @RdmaService
    interface Words {

        long count(Iterator<String> words);
    }

    private final ServiceDescription service = ServiceDescription.of(Words.class);
    private final ServiceCodec codecs = KryoRdmaSerializer.codecFactory(
                    getClass().getClassLoader(), List.of())
            .codecOf(service);
    private final MethodCodec codec =
            codecs.method(Objects.requireNonNull(service.calls().getFirst().elements()));
    private final AtomicReference<FakeStream> accepted = new AtomicReference<>();

    private BlockingStream accept() {
        RpcRequest request = Mockito.mock(RpcRequest.class);
        Mockito.when(request.acceptStream(ArgumentMatchers.anyInt(), ArgumentMatchers.any()))
                .thenAnswer(call -> {
                    accepted.set(new FakeStream(call.getArgument(1, StreamReceiver.class)));
                    return accepted.get();
                });
        return BlockingStream.accept(request, 8);
    }

    @Test
    void whenAMethodReturnsAfterHasNextThenTheElementIsReleased() {
        FakeStream stream;
        try (BlockingStream blocking = accept()) {
            IncomingElements elements = new IncomingElements(blocking, codec);
            stream = accepted.get();
            for (String word : List.of("a", "b", "c")) {
                stream.send(codec.encodeArguments(stream, new Object[] {word}));
            }
            assertThat(elements.next()).isEqualTo("a");

            assertThat(elements.hasNext()).isTrue();
            assertThat(elements.hasNext()).isTrue();
        }
        assertThat(stream.items).hasSize(3).allMatch(item -> item.isClosed());
    }
}
