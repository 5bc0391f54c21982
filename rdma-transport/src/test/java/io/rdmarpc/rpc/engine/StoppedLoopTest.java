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

@DisplayName("A loop that no thread runs any more")
@Timeout(60)
class StoppedLoopTest {

    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EngineRig rig = new EngineRig();
    private final ClientSession client = rig.client();
    private final ServerSession server = rig.server();
    private final AtomicInteger notified = new AtomicInteger();
    private final AtomicInteger otherThreadsDone = new AtomicInteger();

    @AfterEach
    void close() {
        rig.close();
    }

    /** A user that is notified of an end waits for another thread of its own, which submits a command to the engine. */
    private void waitForAnotherThread() {
        Thread other = Thread.ofPlatform().daemon().start(() -> client.cancel(new TestCall()));
        try {
            if (other.join(PATIENCE)) {
                otherThreadsDone.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        notified.incrementAndGet();
    }

    private void expectNotified() {
        rig.loop.shutDown("the test is over");

        assertThat(notified).hasValue(1);
        assertThat(otherThreadsDone).as("threads that the user waited for").hasValue(1);
    }

    /** A call that ends once, with a failure. */
    private final class WaitingCall implements ResponseHandler {

        @Override
        public void onResponse(InboundMessage response) {
            throw new AssertionError("there is no response");
        }

        @Override
        public void onFailure(RdmaRpcException reason) {
            waitForAnotherThread();
        }
    }

    @Test
    @DisplayName("reports the end of a call when other threads can submit commands")
    void whenACallEndsThenItsHandlerMayWaitForOthers() {
        MessageBuffer request = EngineRig.filled(client.allocate(HELLO.length), HELLO);
        client.call(ECHO, request, LONG.toNanos(), new WaitingCall());
        rig.runLoop();

        expectNotified();
    }

    @Test
    @DisplayName("reports the end of a prepared call in the same manner")
    void whenAPreparedCallEndsThenItsEndMayWaitForOthers() {
        RpcCall call = client.prepareCall(_ -> waitForAnotherThread());
        EngineRig.filled(call.request(HELLO.length), HELLO);
        call.start(ECHO, LONG.toNanos());
        rig.runLoop();

        expectNotified();
        call.close();
    }

    @Test
    @DisplayName("reports the end of a stream in the same manner")
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
                throw new AssertionError("there is no response");
            }

            @Override
            public void onFailure(RdmaRpcException reason) {
                waitForAnotherThread();
            }
        });
        rig.runLoop();

        expectNotified();
    }

    @Test
    @DisplayName("reports a cancellation in the same manner")
    void whenACallIsCancelledThenItsListenerMayWaitForOthers() {
        rig.receive(Packet.request(server, FIRST, EngineRig.HOLD, HELLO));
        rig.held.getFirst().cancellation().onCancel(this::waitForAnotherThread);

        expectNotified();
    }

    @Test
    @DisplayName("reports what a handler causes after that handler, on the same thread")
    void whenAHandlerCallsAgainThenItIsNotifiedAfterwards() {
        List<String> order = new ArrayList<>();
        ResponseHandler second = new FailureHandler(() -> order.add("second"), null);
        ResponseHandler first = new FailureHandler(() -> order.add("first"), () -> {
            rig.loop.context().submit(_ -> rig.loop.context().notifyUser(() -> second.onFailure(client.unavailable())));
            order.add("first has returned");
        });
        MessageBuffer request = EngineRig.filled(client.allocate(HELLO.length), HELLO);
        client.call(ECHO, request, LONG.toNanos(), first);
        rig.runLoop();

        rig.loop.shutDown("the test is over");

        assertThat(order).containsExactly("first", "first has returned", "second");
    }

    /** A handler's actions when its call has failed. */
    private record FailureHandler(Runnable at, @Nullable Runnable then) implements ResponseHandler {

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
