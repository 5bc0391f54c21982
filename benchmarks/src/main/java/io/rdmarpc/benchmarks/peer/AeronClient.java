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

/** The client: its thread sends and polls. Later duty cycles retry messages that Aeron did not accept. */
final class AeronClient implements Client {

    private static final long CONNECT_NANOS = 10_000_000_000L;

    private final AeronEnd end;
    private Pipeline.Ends ends = new OneCall();
    private SentBytes sent = new SentBytes(Payload.ORDER, 0);
    private int[] waiting = {};
    private int waitingCount;
    private boolean orders;

    AeronClient(AeronNode node, OrderCodec codec, String requests, String responses) {
        this.end = new AeronEnd(node, codec, requests, AeronEnd.THERE, responses, AeronEnd.BACK, this::onMessage);
        long start = System.nanoTime();
        while (!end.isConnected()) {
            end.doWork();
            node.invokeConductor();
            if (System.nanoTime() - start > CONNECT_NANOS) {
                throw new IllegalStateException("no Aeron server connected within 10 s");
            }
        }
    }

    private void onMessage(int slot, int kind, DirectBuffer buffer, int offset, int length) {
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

    /** Creates the only pipeline, which one thread at a time uses, because one thread polls Aeron's subscription. */
    @Override
    public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends newEnds) {
        ends = newEnds;
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
        int accepted = 0;
        while (accepted < waitingCount && offer(waiting[accepted])) {
            accepted++;
        }
        if (accepted > 0) {
            waiting = Arrays.copyOf(Arrays.copyOfRange(waiting, accepted, waitingCount), waiting.length);
            waitingCount -= accepted;
        }
    }

    @Override
    public void close() {
        end.close();
    }

    /** Waits for the end of one call. */
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
