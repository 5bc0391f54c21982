package io.rdmarpc.demo.live;

import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderRules;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.StageTimes;
import io.rdmarpc.demo.live.load.Lane;
import io.rdmarpc.demo.live.side.HttpOrders;
import io.rdmarpc.demo.live.side.RdmaSide;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ObservedResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Traces one call over RDMA and one over HTTP while the load continues. It makes the RDMA call step by step as the client proxy
 * does, and records the time of each step. It traces one pair of calls at a time.
 */
final class CallTracer {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    private static final Duration ENTER_LIMIT = Duration.ofSeconds(5);
    /** Number of warm-up calls before the traced call, because the first calls are slower. */
    private static final int WARM_UP_CALLS = 200;

    private static final int POLLS = 100;
    private static final long POLL_INTERVAL_MILLIS = 2;

    private final LoadRunner load;
    private final AtomicLong numbers = new AtomicLong();

    CallTracer(LoadRunner load) {
        this.load = load;
    }

    synchronized List<CallTrace> trace() throws InterruptedException {
        return List.of(traceOver(load.rdmaLane(), this::traceRdma), traceOver(load.httpLane(), this::traceHttp));
    }

    /** Traces one call that places an order. */
    private interface Tracing {
        CallTrace trace(Order order) throws InterruptedException;
    }

    private CallTrace traceOver(Lane lane, Tracing tracing) throws InterruptedException {
        Order order = order();
        boolean entered = load.isActive() && lane.turnstile().enter(ENTER_LIMIT);
        try {
            return tracing.trace(order);
        } catch (RuntimeException e) {
            return CallTrace.failed(lane.name(), String.valueOf(e.getMessage()));
        } finally {
            if (entered) {
                lane.turnstile().leave();
            }
        }
    }

    private Order order() {
        Order like = OrderRules.order(7);
        return new Order(
                "traced-" + numbers.incrementAndGet(),
                like.customer(),
                like.priority(),
                like.placedAt(),
                like.items(),
                "ring twice. ".repeat(load.settings().payloadBytes() / 12));
    }

    private CallTrace traceRdma(Order order) throws InterruptedException {
        RdmaSide side = load.rdma();
        if (side == null) {
            return CallTrace.failed(load.rdmaLane().name(), "RDMA is not connected");
        }
        RdmaSide.TracedMethod method = side.traced();
        RpcSession session = method.channel().session(CONNECT_LIMIT);
        for (int call = 0; call < WARM_UP_CALLS; call++) {
            new HandMadeCall().make(method, session, order);
        }
        load.http().monitor().watch(order.id());
        HandMadeCall call = new HandMadeCall();
        call.make(method, session, order);
        StageTimes server = stages(order);
        boolean estimated = isElsewhere(server, call.sent, call.received);
        long shift = estimated ? shift(server, call.sent, call.received) : 0;
        return new CallTrace.Builder(load.rdmaLane().name(), call.start)
                .until(Stage.SERIALIZE, call.written)
                .until(Stage.QUEUE, call.sent)
                .until(Stage.THERE, server.arrived() + shift)
                .until(Stage.DISPATCH, server.methodStarted() + shift)
                .until(Stage.METHOD, server.methodEnded() + shift)
                .until(Stage.ANSWER, Math.min(server.answered() + shift, call.received))
                .until(Stage.BACK, call.received)
                .until(Stage.WAKE, call.woken)
                .until(Stage.READ, call.end)
                .build(estimated);
    }

    private CallTrace traceHttp(Order order) throws InterruptedException {
        long[] times = new long[2];
        HttpOrders orders = load.http().interceptedBy((request, body, execution) -> {
            times[0] = System.nanoTime();
            var response = execution.execute(request, body);
            times[1] = System.nanoTime();
            return response;
        });
        for (int call = 0; call < WARM_UP_CALLS; call++) {
            orders.place(order);
        }
        load.http().monitor().watch(order.id());
        long start = System.nanoTime();
        orders.place(order);
        long end = System.nanoTime();
        StageTimes server = stages(order);
        boolean estimated = isElsewhere(server, times[0], times[1]);
        long shift = estimated ? shift(server, times[0], times[1]) : 0;
        return new CallTrace.Builder(load.httpLane().name(), start)
                .until(Stage.SERIALIZE, times[0])
                .until(Stage.THERE, server.arrived() + shift)
                .until(Stage.DISPATCH, server.methodStarted() + shift)
                .until(Stage.METHOD, server.methodEnded() + shift)
                .until(Stage.ANSWER, Math.min(server.answered() + shift, times[1]))
                .until(Stage.BACK, times[1])
                .until(Stage.READ, end)
                .build(estimated);
    }

    /** Polls for the server's stages, because the server may record the last stage after the response has arrived. */
    private StageTimes stages(Order order) throws InterruptedException {
        for (int poll = 0; poll < POLLS; poll++) {
            var stages = load.http().monitor().stages(order.id());
            if (stages.isPresent()) {
                return stages.get();
            }
            Thread.sleep(POLL_INTERVAL_MILLIS);
        }
        throw new IllegalStateException("the server recorded no stages of the traced call");
    }

    /** Returns whether the server's clock differs from this process's clock, as on another host. */
    private static boolean isElsewhere(StageTimes server, long sent, long received) {
        return server.arrived() - sent < 0 || received - server.methodEnded() < 0;
    }

    private static long shift(StageTimes server, long sent, long received) {
        return (sent + received) / 2 - (server.arrived() + server.answered()) / 2;
    }

    /** Makes a call as the client proxy does and records the time of each step. */
    private static final class HandMadeCall implements ObservedResponseHandler {

        private final Thread caller = Thread.currentThread();
        private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();
        private volatile long sent;
        private volatile long received;
        private long start;
        private long written;
        private long woken;
        private long end;

        void make(RdmaSide.TracedMethod method, RpcSession session, Order order) {
            start = System.nanoTime();
            MessageBuffer request = method.codec().encodeArguments(session, new Object[] {order});
            written = System.nanoTime();
            session.call(method.id(), request, CALL_LIMIT.toNanos(), this);
            Object ended = await();
            woken = System.nanoTime();
            switch (ended) {
                case InboundMessage response -> {
                    try (response) {
                        Receipt receipt = (Receipt) method.codec().decodeResult(response);
                        end = System.nanoTime();
                        check(receipt, order);
                    }
                }
                case RdmaRpcException failure -> throw failure;
                default -> throw new IllegalStateException("unexpected outcome of a call: " + ended);
            }
        }

        private static void check(@Nullable Receipt receipt, Order order) {
            if (receipt == null || !receipt.orderId().equals(order.id())) {
                throw new IllegalStateException("wrong response");
            }
        }

        private Object await() {
            long latest = System.nanoTime() + 2 * CALL_LIMIT.toNanos();
            Object ended = outcome.get();
            while (ended == null) {
                LockSupport.parkNanos(this, latest - System.nanoTime());
                ended = outcome.get();
                if (ended == null && System.nanoTime() - latest >= 0) {
                    throw new RdmaRpcException(RpcStatus.DEADLINE_EXCEEDED, "the traced call did not end in time");
                }
            }
            return ended;
        }

        @Override
        public void onSend() {
            sent = System.nanoTime();
        }

        @Override
        public void onResponse(InboundMessage response) {
            received = System.nanoTime();
            end(response);
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            end(failure);
        }

        private void end(Object ended) {
            outcome.set(ended);
            LockSupport.unpark(caller);
        }
    }
}
