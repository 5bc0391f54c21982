package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;
import java.util.Locale;

/**
 * Datagrams in one direction, in postlists whose last request asks for a completion. The server responds to every 256th
 * datagram with a credit. The client is at most 1024 datagrams ahead, which is the number of posted receives, so that
 * none is lost. The result is the time from the first post to the last credit.
 */
final class SendRateWorkload implements Workload {

    static final String HEADER = " #bytes     #iterations    batch    MsgRate[Mpps]";

    /** Maximum number of postlists without a completion. */
    static final int POSTLISTS = 8;

    static final int RECEIVES = 1024;
    private static final int PER_CREDIT = 256;
    private static final int RECEIVES_AT_A_TIME = 64;
    private static final int POLL_BATCH = 64;

    private final Wiring wiring;
    private final RunOptions options;
    private final int batch;
    private final BenchmarkPoller sendCompletions;
    private final BenchmarkPoller receiveCompletions;
    private final SendRequests send;
    private final ReceiveRequests receive;
    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("credit");
    private final long measured;
    private final long total;
    private long sent;
    private long credited;
    private long received;
    private int spentReceives;
    private int postlists;

    SendRateWorkload(Arena arena, Wiring wiring, MemoryRegion memory, RunOptions options, int batch) {
        if (batch < 1 || PER_CREDIT % batch != 0) {
            throw new IllegalArgumentException(
                    "invalid batch of " + batch + " messages: use a divisor of " + PER_CREDIT + ", such as 16");
        }
        this.wiring = wiring;
        this.options = options;
        this.batch = batch;
        this.measured = wholeCredits(options.peer.iterations());
        this.total = measured + wholeCredits(options.warmUp);
        this.sendCompletions = new BenchmarkPoller(arena, wiring.sendQueue(), POLL_BATCH);
        this.receiveCompletions = new BenchmarkPoller(arena, wiring.receiveQueue(), POLL_BATCH);
        this.send = SendRequests.allocate(arena, batch, 1);
        this.receive = ReceiveRequests.allocate(arena, RECEIVES_AT_A_TIME);
        fill(memory);
    }

    private static long wholeCredits(int messages) {
        return ((long) messages + PER_CREDIT - 1) / PER_CREDIT * PER_CREDIT;
    }

    private void fill(MemoryRegion memory) {
        for (int i = 0; i < batch; i++) {
            int flags = i == batch - 1 ? SendFlags.SIGNALED : 0;
            send.set(i, i, SendOpcode.SEND, flags | options.flagsForSend(), 1);
            send.setSge(i, 0, memory.address(), options.size, memory.lkey());
        }
        long inbox = memory.address() + LatencyWorkload.inbox(options.size);
        for (int i = 0; i < RECEIVES_AT_A_TIME; i++) {
            receive.set(i, i, inbox, LatencyWorkload.GRH_BYTES + options.size, memory.lkey());
        }
        receive.chain(0, RECEIVES_AT_A_TIME);
    }

    @Override
    public void prepare() {
        for (int i = 0; i < RECEIVES / RECEIVES_AT_A_TIME; i++) {
            Posts.check(wiring.queuePair().postReceive(receive, 0));
        }
    }

    @Override
    public String run(EndPoint peer, boolean client) {
        for (int i = 0; i < batch; i++) {
            send.setDatagram(i, wiring.addressHandle(), peer.qpn(), Wiring.QKEY);
        }
        if (!client) {
            send.chain(batch - 1, 1);
            serve();
            return "";
        }
        send.chain(0, batch);
        sendUpTo(total - measured);
        long start = System.nanoTime();
        sendUpTo(total);
        return line(System.nanoTime() - start);
    }

    private void sendUpTo(long end) {
        while (credited < end) {
            if (sent < end && sent + batch - credited <= RECEIVES && postlists < POSTLISTS) {
                Posts.check(wiring.queuePair().postSend(send, 0));
                sent += batch;
                postlists++;
                pollTimeout.reset();
            }
            postlists -= sendCompletions.poll();
            receiveCredits();
            pollTimeout.check();
        }
    }

    private void receiveCredits() {
        int credits = receiveCompletions.poll();
        credited += (long) credits * PER_CREDIT;
        replace(credits);
    }

    /** Receives all messages. A credit is the last work request of the postlist, which asks for a completion. */
    private void serve() {
        while (received < total) {
            int count = receiveCompletions.await();
            replace(count);
            long credits = (received + count) / PER_CREDIT - received / PER_CREDIT;
            received += count;
            for (; credits > 0; credits--) {
                Posts.check(wiring.queuePair().postSend(send, batch - 1));
                sendCompletions.await();
            }
        }
    }

    /** Posts receives to replace completed ones, several at a time. */
    private void replace(int count) {
        spentReceives += count;
        while (spentReceives >= RECEIVES_AT_A_TIME) {
            Posts.check(wiring.queuePair().postReceive(receive, 0));
            spentReceives -= RECEIVES_AT_A_TIME;
        }
    }

    private String line(long nanos) {
        return String.format(
                Locale.ROOT, " %-10d %-14d %-8d %13.6f", options.size, measured, batch, measured * 1e3 / nanos);
    }
}
