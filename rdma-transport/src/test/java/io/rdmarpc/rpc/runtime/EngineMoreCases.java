package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.TestSeed;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Further {@link EngineCases}: nested calls, early ends, load, streams. */
abstract class EngineMoreCases extends EngineCases {

    private static final int DEEP = 1_000;
    private static final int LARGE = 20_000;
    private static final String RELAY = "test.Relay";
    /** Calls the other server and waits for it. */
    private static final ServiceContract.Method WAITING = relayed("byte[] waiting(byte[])");
    /** Calls the other server on the engine's thread; its response becomes the response. */
    private static final ServiceContract.Method LATER = relayed("byte[] later(byte[])");

    private static ServiceContract.Method relayed(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId(RELAY, signature), signature);
    }

    private ServiceExport relay(RpcSession onwards) {
        return new ServiceExport(
                new ServiceContract(RELAY, List.of(WAITING, LATER), List.of()),
                List.of(
                        new ServiceExport.Method(
                                WAITING.id(),
                                request -> respond(request, Runtimes.get(callOn(onwards, request))),
                                executor),
                        new ServiceExport.Method(LATER.id(), request -> respondLater(onwards, request), null)));
    }

    /** Calls with a method that runs on the engine's thread, and with one that does not. */
    private static CompletableFuture<byte[]> callOn(RpcSession onwards, RpcRequest request) {
        byte[] payload = request.message().payload().toArray(ValueLayout.JAVA_BYTE);
        int method = payload.length % 2 == 0 ? Echo.ECHO.id() : Echo.INLINE_ECHO.id();
        return Echo.call(onwards, method, payload, LONG);
    }

    private static void respondLater(RpcSession onwards, RpcRequest request) {
        CompletableFuture<byte[]> _ = callOn(onwards, request).whenComplete((bytes, failure) -> {
            if (failure == null) {
                respond(request, bytes);
            } else {
                request.fail(RpcStatus.INTERNAL, "", String.valueOf(failure.getMessage()));
            }
        });
    }

    @Test
    @DisplayName("SM-08 SM-10 LG-03 a method that calls another server, waiting in its thread or on the engine's")
    void whenAMethodCallsThenTheResponseComesThroughBoth() {
        try (RdmaRuntime middle = open(config(MAX_MESSAGE))) {
            middle.export(relay(Runtimes.channel(middle, server).session(LONG)));
            RpcChannel toRelay = Runtimes.channel(calling, Runtimes.listen(middle));
            RpcSession first = toRelay.session(LONG);
            Runtimes.inParallel(4, number -> {
                for (int i = 0; i < calls() / 16; i++) {
                    int size = i % 4 < 2 ? 100 + number : LARGE + number;
                    Runtimes.echo(first, i % 2 == 0 ? WAITING.id() : LATER.id(), size, i);
                }
            });
            toRelay.close();
        }
    }

    @Test
    @DisplayName("SM-09 each response starts the next call, 1000 deep")
    void whenResponsesStartCallsThenTheSequenceEnds() {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        callNext(DEEP, end);
        assertThat(Runtimes.get(end)).isEqualTo(DEEP);
        assertThat(calling.statistics().callsCompleted()).isEqualTo(DEEP);
    }

    private void callNext(int left, CompletableFuture<Integer> end) {
        byte[] payload = Echo.payload(left % 100, left);
        CompletableFuture<byte[]> call = Echo.call(session, Echo.INLINE_ECHO.id(), payload, LONG);
        CompletableFuture<byte[]> _ = call.whenComplete((bytes, failure) -> {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else if (Echo.difference(payload, bytes) != null) {
                end.completeExceptionally(new AssertionError(Echo.difference(payload, bytes)));
            } else if (left == 1) {
                end.complete(DEEP);
            } else {
                callNext(left - 1, end);
            }
        });
    }

    @Test
    @DisplayName("SM-11 a response after the caller's deadline is dropped and counted, the session continues")
    void whenTheResponseIsLateThenItIsDropped() {
        for (int size : new int[] {20, LARGE}) {
            long before = lateResponses();
            until("a late response", () -> {
                CompletableFuture<byte[]> call = hold(new byte[size], Duration.ofMillis(200));
                assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(call));
                for (RpcRequest late = held.poll(); late != null; late = held.poll()) {
                    respond(late);
                }
                return lateResponses() > before;
            });
            Runtimes.echo(session, size);
        }
    }

    /** Retries an attempt that a faulty network may have prevented. */
    private static void until(String what, BooleanSupplier attempt) {
        long start = System.nanoTime();
        while (!attempt.getAsBoolean()) {
            assertThat(Runtimes.since(start)).as(what).isLessThan(LONG);
        }
    }

    private long lateResponses() {
        return serving.statistics().drops().get("late_response");
    }

    @Test
    @DisplayName("LG-06 one byte over the largest message is rejected before anything is sent")
    void whenAMessageIsTooLargeThenItIsNotSent() {
        long before = calling.statistics().callsStarted();
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> session.allocate(MAX_MESSAGE + 1));
        assertThat(calling.statistics().callsStarted()).isEqualTo(before);
        Runtimes.echo(session, MAX_MESSAGE);
    }

    @Test
    @DisplayName("LT-01 calls in flight and in the backlog are cancelled: each ends at once, the methods are notified")
    void whenCallsAreCancelledThenTheyEndAndTheMethodsAreNotified() {
        List<Cancelled> calls = IntStream.range(0, 2 * WINDOW)
                // A running large call keeps its slot until the server has reported that it READs no more.
                .mapToObj(i -> new Cancelled(i > WINDOW && i % 4 == 1 ? LARGE : 20))
                .toList();
        List<RpcRequest> running =
                IntStream.range(0, WINDOW).mapToObj(_ -> nextHeld()).toList();

        calls.forEach(session::cancel);

        assertThat(calls)
                .allSatisfy(call -> assertThatExceptionOfType(RdmaRpcException.class)
                        .isThrownBy(() -> Runtimes.get(call.end))
                        .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED)));
        // A CANCEL packet may be lost; the next call in each slot has the same effect.
        fillTheWindow();
        assertThat(running).allMatch(RpcRequest::isCancelled);
        running.forEach(EngineCases::respond);
        Runtimes.echo(session, LARGE);
    }

    private void fillTheWindow() {
        List<CompletableFuture<byte[]>> next = IntStream.range(0, WINDOW)
                .mapToObj(_ -> hold(new byte[4], LONG))
                .toList();
        List<RpcRequest> all = new ArrayList<>();
        while (all.size() < WINDOW) {
            RpcRequest request = nextHeld();
            if (request.message().payload().byteSize() == 4) {
                all.add(request);
            } else {
                // A call from the backlog: it was sent after another one was cancelled, before it was cancelled itself.
                respond(request);
            }
        }
        all.forEach(EngineCases::respond);
        next.forEach(Runtimes::get);
    }

    /** A call that the test cancels. */
    private final class Cancelled implements ResponseHandler {

        private final CompletableFuture<Integer> end = new CompletableFuture<>();

        Cancelled(int bytes) {
            MessageBuffer request = session.allocate(bytes);
            request.length(bytes);
            session.call(HOLD.id(), request, LONG.toNanos(), this);
        }

        @Override
        public void onResponse(InboundMessage response) {
            end.complete(response.length());
            response.close();
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            end.completeExceptionally(failure);
        }
    }

    @Test
    @DisplayName("FC-06 FC-07 responses that their readers release in any order, three times around the ring")
    void whenResponsesAreReleasedInAnyOrderThenTheyKeepTheirBytes() {
        SplittableRandom random = new SplittableRandom(TestSeed.next());
        List<Kept> kept = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            kept.add(new Kept(i));
            if (kept.size() == 64) {
                for (int half = 32; half > 0; half--) {
                    kept.remove(random.nextInt(kept.size())).checkAndRelease();
                }
            }
        }
        kept.forEach(Kept::checkAndRelease);
        Runtimes.echo(session, 1_000);
    }

    /** A call whose response stays in the receive ring for a while. */
    private final class Kept implements ResponseHandler {

        private final CompletableFuture<InboundMessage> end = new CompletableFuture<>();
        private final byte[] payload;

        Kept(int number) {
            payload = Echo.payload(number % 300, number);
            MessageBuffer request = session.allocate(payload.length);
            MemorySegment.copy(payload, 0, request.segment(), ValueLayout.JAVA_BYTE, 0, payload.length);
            request.length(payload.length);
            session.call(Echo.INLINE_ECHO.id(), request, LONG.toNanos(), this);
        }

        void checkAndRelease() {
            try (InboundMessage response = Runtimes.get(end)) {
                byte[] bytes = response.payload().toArray(ValueLayout.JAVA_BYTE);
                assertThat(Echo.difference(payload, bytes)).isNull();
            }
        }

        @Override
        public void onResponse(InboundMessage response) {
            end.complete(response);
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            end.completeExceptionally(failure);
        }
    }

    @Test
    @DisplayName("FL-06 the method knows the remaining time of its caller, and when it has passed")
    void whenTheDeadlinePassesThenTheMethodKnows() {
        CompletableFuture<byte[]> patient = hold(new byte[LARGE], LONG);
        RpcRequest request = nextHeld();
        assertThat(request.remainingNanos()).isBetween(1L, LONG.toNanos());
        respond(request);
        assertThat(Runtimes.get(patient)).hasSize(LARGE);

        until("a call that runs past its deadline", () -> {
            CompletableFuture<byte[]> hurried = hold(new byte[20], Duration.ofMillis(200));
            assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(hurried));
            return !held.isEmpty();
        });
        Runtimes.await("the cancellation of the methods", () -> held.stream().allMatch(RpcRequest::isCancelled));
        held.forEach(EngineCases::respond);
    }

    @Test
    @DisplayName(
            "FL-07 a server with its maximum of calls rejects more, a large one without a READ; later it accepts some")
    void whenTheServerIsFullThenItRejectsCalls() {
        try (RdmaRuntime full = open(config(MAX_MESSAGE).toBuilder()
                .load(new LoadLimits(2, Duration.ZERO))
                .build())) {
            export(full);
            RpcChannel toFull = Runtimes.channel(calling, Runtimes.listen(full));
            RpcSession busy = toFull.session(LONG);
            List<CompletableFuture<byte[]>> taken = IntStream.range(0, 2)
                    .mapToObj(_ -> Echo.call(busy, HOLD.id(), new byte[20], LONG))
                    .toList();
            List<RpcRequest> running =
                    IntStream.range(0, 2).mapToObj(_ -> nextHeld()).toList();
            for (int size : new int[] {20, LARGE}) {
                assertThatExceptionOfType(RdmaOverloadedException.class)
                        .isThrownBy(() -> Runtimes.get(Echo.call(busy, Echo.ECHO.id(), new byte[size], LONG)))
                        .satisfies(e -> assertThat(e.retryAfter()).isPositive());
            }
            assertThat(full.statistics().reads()).isZero();

            running.forEach(EngineCases::respond);
            taken.forEach(Runtimes::get);
            Runtimes.echo(busy, LARGE);
            toFull.close();
        }
    }

    @Test
    @DisplayName("LO-01 LO-02 LO-03 LO-04 FC-01 streams in both directions, small and large messages: whole, in order")
    void shouldCarryStreamsInBothDirections() {
        serving.export(StreamEcho.export(executor));
        Runtimes.inParallel(
                2, number -> assertThat(StreamEcho.check(session, 100, number)).isEmpty());
    }

    @Test
    @DisplayName("LT-01 a stream is cancelled half-way: both ends release it, calls and other streams continue")
    void whenAStreamIsCancelledThenTheSessionContinues() throws Exception {
        serving.export(StreamEcho.export(executor));
        try (BlockingStream stream = BlockingStream.open(session, StreamEcho.ECHO, 8, LONG.toNanos())) {
            for (int size : new int[] {20, LARGE}) {
                MessageBuffer message = stream.allocate(size);
                message.length(size);
                stream.send(message);
                try (InboundMessage back = stream.take()) {
                    assertThat(back.length()).isEqualTo(size);
                }
            }
        }
        Runtimes.await("the end of the stream", () -> session.openStreams() == 0);
        Runtimes.echo(session, LARGE);
        assertThat(StreamEcho.check(session, 10, 1)).isEmpty();
    }

    @Test
    @DisplayName("FL-11 one of two sessions is closed: its calls fail, the other's get responses")
    void whenOneSessionIsClosedThenTheOtherContinues() {
        RpcChannel other = Runtimes.channel(calling, server);
        CompletableFuture<byte[]> lost = Echo.call(other.session(LONG), HOLD.id(), new byte[LARGE], LONG);
        RpcRequest orphan = nextHeld();
        CompletableFuture<byte[]> kept = hold(new byte[LARGE], LONG);
        RpcRequest request = nextHeld();

        other.close();

        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> Runtimes.get(lost));
        respond(request);
        assertThat(Runtimes.get(kept)).hasSize(LARGE);
        Runtimes.await(
                "the end of the session at the server",
                () -> serving.statistics().serverSessions() == 1);
        assertThat(orphan.isCancelled()).isTrue();
        orphan.fail(RpcStatus.CANCELLED, "", "the session has ended");
        Runtimes.echo(session, LARGE);
    }
}
