package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import org.agrona.DirectBuffer;

/** The server's thread: polls without a pause and responds at once. */
final class AeronEchoes implements Runnable {

    private final AeronNode node;
    private final AeronEnd end;
    private volatile boolean stopped;

    AeronEchoes(AeronNode node, OrderCodec codec, String requests, String responses) {
        this.node = node;
        this.end = new AeronEnd(node, codec, responses, AeronEnd.BACK, requests, AeronEnd.THERE, this::respond);
    }

    @Override
    public void run() {
        try (end) {
            while (!stopped) {
                if (end.doWork() == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private void respond(int slot, int kind, DirectBuffer buffer, int offset, int length) {
        if (kind == AeronEnd.ORDER) {
            Order order = OrderDesk.accept(end.order(OrderRequest.class, buffer, offset, length));
            while (!end.offer(slot, order)) {
                makeRoom();
            }
        } else {
            byte[] bytes = AeronEnd.bytes(buffer, offset, length);
            while (!end.offer(slot, bytes)) {
                makeRoom();
            }
        }
    }

    private void makeRoom() {
        if (stopped) {
            throw new IllegalStateException(
                    "the server was stopped while a response waited for space in the publication");
        }
        node.invokeConductor();
        Thread.onSpinWait();
    }

    void stop() {
        stopped = true;
    }
}
