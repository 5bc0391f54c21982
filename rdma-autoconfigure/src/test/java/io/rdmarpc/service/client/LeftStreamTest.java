package io.rdmarpc.service.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.FakeStream;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@DisplayName("Streams that the user abandons")
class LeftStreamTest {

    @RdmaService
    interface Words {

        Iterator<String> iterator();

        Stream<String> stream();

        @RdmaMethod(timeout = "300ms")
        Iterator<String> brief();
    }

    private final Loopback server = new Loopback();
    private final AtomicReference<FakeStream> opened = new AtomicReference<>();
    private final List<RpcStatus> ends = new CopyOnWriteArrayList<>();
    private final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
    private final Words words = proxy();

    private Words proxy() {
        server.streams = receiver -> {
            FakeStream stream = new FakeStream(receiver);
            opened.set(stream);
            return stream;
        };
        CallObserver observer = new CallObserver() {
            @Override
            public MethodObserver client(String service, String method, String target, ServerAddress server) {
                return (status, failure, nanos) -> ends.add(status);
            }

            @Override
            public MethodObserver server(String service, String method) {
                return MethodObserver.NONE;
            }
        };
        return new RdmaServiceProxyFactory(codecs, observer, Runnable::run)
                .create(Words.class, new RdmaTarget("main", "here:1", server, Duration.ofSeconds(20)));
    }

    private FakeStream send(String... elements) {
        ServiceCodec codec = codecs.codecOf(ServiceDescription.of(Words.class));
        ServiceMethod method = ServiceDescription.of(Words.class).calls().getFirst();
        MethodCodec results = codec.method(method);
        FakeStream stream = opened.get();
        for (String element : elements) {
            stream.send(results.encodeResult(stream, element));
        }
        return stream;
    }

    @Test
    void whenHasNextIsCalledThenTheElementsMemoryIsReleased() {
        Iterator<String> iterator = words.iterator();
        FakeStream stream = send("a", "b");

        assertThat(iterator.hasNext()).isTrue();

        assertThat(stream.items).extracting(item -> item.isClosed()).containsExactly(true, false);
        assertThat(iterator.next()).isEqualTo("a");
        assertThat(iterator.next()).isEqualTo("b");
    }

    /** A separate method, so that its local variables do not keep the iterator reachable. */
    private FakeStream openAndDrop() {
        Iterator<String> iterator = words.iterator();
        FakeStream stream = send("a", "b", "c");
        assertThat(iterator.next()).isEqualTo("a");
        return stream;
    }

    @Test
    void whenAnIteratorIsUnreachableThenTheStreamIsCancelledAndReleased() {
        FakeStream stream = openAndDrop();

        Awaitility.await().untilAsserted(() -> {
            System.gc();
            assertThat(stream.cancelled).isTrue();
            assertThat(stream.items).allMatch(item -> item.isClosed());
            assertThat(ends).containsExactly(RpcStatus.CANCELLED);
        });
    }

    @Test
    void whenAnUnreachableStreamHadEndedThenItIsReleased() {
        FakeStream stream = openAndDrop();
        stream.end();

        Awaitility.await().untilAsserted(() -> {
            System.gc();
            assertThat(stream.items).allMatch(item -> item.isClosed());
        });
    }

    @Test
    void whenAStreamIsClosedEarlyThenItIsReleased() {
        Stream<String> taken = words.stream();
        FakeStream stream = send("a", "b", "c");
        Iterator<String> iterator = taken.iterator();
        assertThat(iterator.next()).isEqualTo("a");
        assertThat(iterator.hasNext()).isTrue();

        taken.close();

        assertThat(stream.items).allMatch(item -> item.isClosed());
        assertThat(stream.cancelled).isTrue();
        assertThat(ends).containsExactly(RpcStatus.OK);
    }

    @Test
    void whenTheDeadlinePassesThenUnconsumedElementsAreReleasedAndTheCallEnds() {
        Iterator<String> held = words.brief();
        FakeStream stream = send("a", "b", "c");
        Awaitility.await().pollDelay(Duration.ofMillis(310)).until(() -> true);

        stream.breakOff(RpcStatus.DEADLINE_EXCEEDED);

        Awaitility.await().untilAsserted(() -> {
            assertThat(stream.items).allMatch(item -> item.isClosed());
            assertThat(ends).containsExactly(RpcStatus.DEADLINE_EXCEEDED);
        });
        assertThat(held).isNotNull();
    }
}
