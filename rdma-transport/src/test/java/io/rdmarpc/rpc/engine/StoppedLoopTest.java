package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A loop that nobody turns any more")
@Timeout(60)
class StoppedLoopTest {

    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EngineRig rig = new EngineRig();
    private final ClientSession client = rig.client();
    private final ServerSession server = rig.server();
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger otherThreadsDone = new AtomicInteger();

    @AfterEach
    void close() {
        rig.close();
    }

    /** What a user does that is told of an end: it waits for another thread of its own, which has a command for the engine. */
    private void waitForAnotherThread() {
        Thread other = Thread.ofPlatform().daemon().start(() -> client.cancel(new TestCall()));
        try {
            if (other.join(PATIENCE)) {
                otherThreadsDone.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        told.incrementAndGet();
    }

    private void expectTold() {
        rig.loop.shutDown("the test is over");

        assertThat(told).hasValue(1);
        assertThat(otherThreadsDone).as("threads that the user waited for").hasValue(1);
    }

    /** A call that ends once, with a failure. */
    private final class WaitingCall implements ResponseHandler {

        @Override
        public void onResponse(InboundMessage response) {
            throw new AssertionError("nobody has answered");
        }

        @Override
        public void onFailure(RdmaRpcException reason) {
            waitForAnotherThread();
        }
    }

    @Test
    @DisplayName("tells the end of a call when other threads can bring their commands")
    void whenACallEndsThenItsHandlerMayWaitForOthers() {
        MessageBuffer request = EngineRig.filled(client.allocate(HELLO.length), HELLO);
        client.call(ECHO, request, LONG.toNanos(), new WaitingCall());
        rig.turn();

        expectTold();
    }

    @Test
    @DisplayName("likewise of a caller's own call")
    void whenAPreparedCallEndsThenItsEndMayWaitForOthers() {
        RpcCall call = client.prepareCall(_ -> waitForAnotherThread());
        EngineRig.filled(call.request(HELLO.length), HELLO);
        call.start(ECHO, LONG.toNanos());
        rig.turn();

        expectTold();
        call.close();
    }

    @Test
    @DisplayName("likewise of a stream")
    void whenAStreamEndsThenItsReceiverMayWaitForOthers() {
        client.openStream(ECHO, 8, LONG.toNanos(), new StreamReceiver() {
            @Override
            public void onItem(InboundMessage message) {
                message.close();
            }

            @Override
            public void onWritable() {
                // It sends nothing.
            }

            @Override
            public void onEnd() {
                throw new AssertionError("nobody has answered");
            }

            @Override
            public void onFailure(RdmaRpcException reason) {
                waitForAnotherThread();
            }
        });
        rig.turn();

        expectTold();
    }

    @Test
    @DisplayName("likewise of a caller that has given up")
    void whenACallIsCancelledThenItsListenerMayWaitForOthers() {
        rig.receive(Packet.request(server, FIRST, EngineRig.HOLD, HELLO));
        rig.held.getFirst().cancellation().onCancel(this::waitForAnotherThread);

        expectTold();
    }

    @Test
    @DisplayName("tells what follows from a handler after it, by the same thread")
    void whenAHandlerCallsAgainThenItIsToldAfterwards() {
        List<String> order = new ArrayList<>();
        ResponseHandler second = new Told(() -> order.add("second"), null);
        ResponseHandler first = new Told(() -> order.add("first"), () -> {
            rig.loop.context().submit(_ -> rig.loop.context().tell(() -> second.onFailure(client.unavailable())));
            order.add("first has returned");
        });
        MessageBuffer request = EngineRig.filled(client.allocate(HELLO.length), HELLO);
        client.call(ECHO, request, LONG.toNanos(), first);
        rig.turn();

        rig.loop.shutDown("the test is over");

        assertThat(order).containsExactly("first", "first has returned", "second");
    }

    /** What is done when a call has failed. */
    private record Told(Runnable at, @Nullable Runnable then) implements ResponseHandler {

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
        }

        @Override
        public void onFailure(RdmaRpcException reason) {
            at.run();
            if (then != null) {
                then.run();
            }
        }
    }

    @Test
    void whenALoopThatWasNeverStoppedIsResumedThenItsTimeBegins() {
        try (EngineRig fresh = new EngineRig()) {
            fresh.loop.resume();
            assertThat(fresh.loop.gauges().sinceLastCycleNanos()).isZero();
        }
    }
}
