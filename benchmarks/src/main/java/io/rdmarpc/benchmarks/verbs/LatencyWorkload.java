package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.LatencyReport;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;

/**
 * Round trips of one message, in the steps of {@code ib_send_lat}. Each end receives the peer's message, posts another
 * receive, records the time, posts the response, and waits until it has completed.
 */
final class LatencyWorkload implements Workload {

    /** Length of the global route header at the beginning of a datagram's receive buffer. */
    static final int GRH_BYTES = 40;

    static final int RECEIVE_DEPTH = 512;

    private static final int PAGE = 4096;

    private final Wiring wiring;
    private final RunOptions options;
    private final BenchmarkPoller sendCompletions;
    private final BenchmarkPoller receiveCompletions;
    private final SendRequests send;
    private final ReceiveRequests receive;
    private final int total;
    private final long[] postedNanos;
    private int sent;
    private int received;

    LatencyWorkload(Arena arena, Wiring wiring, MemoryRegion memory, RunOptions options) {
        this.wiring = wiring;
        this.options = options;
        this.total = options.warmUp + options.peer.iterations();
        this.postedNanos = new long[total];
        this.sendCompletions = new BenchmarkPoller(arena, wiring.sendQueue(), 1);
        this.receiveCompletions = new BenchmarkPoller(arena, wiring.receiveQueue(), 1);
        this.send = SendRequests.allocate(arena, 1, 1);
        this.receive = ReceiveRequests.allocate(arena, 1);
        send.set(0, 0, SendOpcode.SEND, SendFlags.SIGNALED | options.flagsForSend(), 1);
        send.setSge(0, 0, memory.address() + GRH_BYTES, options.size, memory.lkey());
        send.chain(0, 1);
        long inbox = memory.address() + inbox(options.size);
        receive.set(0, 0, inbox, GRH_BYTES + options.size, memory.lkey());
        receive.chain(0, 1);
    }

    /** Returns the offset of received messages in the memory, which are in a separate page after the sent message. */
    static long inbox(int size) {
        return ((long) GRH_BYTES + size + PAGE - 1) / PAGE * PAGE;
    }

    @Override
    public void prepare() {
        for (int i = 0; i < Math.min(RECEIVE_DEPTH, total); i++) {
            Posts.check(wiring.queuePair().postReceive(receive, 0));
        }
    }

    @Override
    public String run(EndPoint peer, boolean client) {
        if (wiring.addressHandle() != 0) {
            send.setDatagram(0, wiring.addressHandle(), peer.qpn(), Wiring.QKEY);
        }
        if (client) {
            sendOne();
        }
        while (sent < total || received < total) {
            round();
        }
        return new LatencyReport(postedNanos, options.warmUp).line(options.size);
    }

    private void round() {
        if (received < total) {
            receiveOne();
        }
        if (sent < total) {
            sendOne();
        }
    }

    private void receiveOne() {
        receiveCompletions.await();
        received++;
        if (received + RECEIVE_DEPTH <= total) {
            Posts.check(wiring.queuePair().postReceive(receive, 0));
        }
    }

    private void sendOne() {
        postedNanos[sent++] = System.nanoTime();
        Posts.check(wiring.queuePair().postSend(send, 0));
        sendCompletions.await();
    }
}
