package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.Contestant.Caller;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** The client: its thread sends and polls. What does not fit now is sent in a later turn. */
final class AeronClient implements Client {

    private static final long CONNECT_NANOS = 10_000_000_000L;

    private final AeronEnd end;
    private Pipeline.Ends ends = new OneCall();
    private SentBytes sent = new SentBytes(Payload.ORDER, 0);
    private int[] waiting = {};
    private int waitingCount;
    private boolean orders;

    AeronClient(AeronNode node, OrderCodec codec, String requests, String answers) {
        this.end = new AeronEnd(node, codec, requests, AeronEnd.THERE, answers, AeronEnd.BACK, this::take);
        long start = System.nanoTime();
        while (!end.isConnected()) {
            end.doWork();
            node.invokeConductor();
            if (System.nanoTime() - start > CONNECT_NANOS) {
                throw new IllegalStateException("no Aeron server answers");
            }
        }
    }

    private void take(int slot, int kind, DirectBuffer buffer, int offset, int length) {
        if (kind == AeronEnd.ORDER) {
            OrderDesk.check(end.order(Order.class, buffer, offset, length));
        } else {
            sent.check(slot, AeronEnd.bytes(buffer, offset, length));
        }
        ends.ended(slot);
    }

    @Override
    public Caller caller(Payload payload) {
        OneCall one = new OneCall();
        Pipeline pipeline = pipeline(payload, 1, one);
        return () -> {
            one.ended = false;
            pipeline.start(0);
            while (!one.ended) {
                pipeline.doWork();
            }
        };
    }

    /** One thread at a time, and one pipeline: Aeron's subscription is polled by one thread. */
    @Override
    public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends told) {
        ends = told;
        orders = payload.isOrder();
        sent = new SentBytes(payload, outstanding);
        waiting = new int[outstanding];
        waitingCount = 0;
        return new Pipeline() {
            @Override
            public void start(int slot) {
                if (!orders) {
                    sent.next(slot);
                }
                if (!offer(slot)) {
                    waiting[waitingCount++] = slot;
                }
            }

            @Override
            public boolean isCallerDriven() {
                return true;
            }

            @Override
            public void doWork() {
                sendWaiting();
                if (end.doWork() == 0) {
                    Thread.onSpinWait();
                }
            }
        };
    }

    private boolean offer(int slot) {
        return orders ? end.offer(slot, OrderDesk.REQUEST) : end.offer(slot, sent.last(slot));
    }

    private void sendWaiting() {
        int gone = 0;
        while (gone < waitingCount && offer(waiting[gone])) {
            gone++;
        }
        if (gone > 0) {
            waiting = Arrays.copyOf(Arrays.copyOfRange(waiting, gone, waitingCount), waiting.length);
            waitingCount -= gone;
        }
    }

    @Override
    public void close() {
        end.close();
    }

    /** A call that is waited for. */
    private static final class OneCall implements Pipeline.Ends {

        private boolean ended;

        @Override
        public void ended(int slot) {
            ended = true;
        }

        @Override
        public void failed(Throwable reason) {
            throw new IllegalStateException(reason);
        }
    }
}
