package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.CompletionWaiter;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * A message with its post time wakes the server. The response contains the elapsed time. The client pauses before each
 * message, so that the server is asleep, and polls for the response.
 */
final class SleepLatencyWorkload implements Workload {

    static final String HEADER = " #bytes     #iterations    t_typical[usec]    99% percentile[usec]";

    private static final long PAUSE_NANOS = 300_000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Wiring wiring;
    private final MemoryRegion memory;
    private final RunOptions options;
    private final int total;
    private final long payload;
    private final BenchmarkPoller sendCompletions;
    private final BenchmarkPoller receiveCompletions;
    private final WorkCompletions woken;
    private final SendRequests send;
    private final ReceiveRequests receive;

    SleepLatencyWorkload(Arena arena, Wiring wiring, MemoryRegion memory, RunOptions options) {
        if (options.size < Long.BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + options.size + " bytes is too short for a time stamp: use --size 8 or more");
        }
        this.wiring = wiring;
        this.memory = memory;
        this.options = options;
        this.total = options.warmUp + options.peer.iterations();
        this.payload = LatencyWorkload.inbox(options.size) + LatencyWorkload.GRH_BYTES;
        this.sendCompletions = new BenchmarkPoller(arena, wiring.sendQueue(), 1);
        this.receiveCompletions = new BenchmarkPoller(arena, wiring.receiveQueue(), 1);
        this.woken = WorkCompletions.allocate(arena, 1);
        this.send = SendRequests.allocate(arena, 1, 1);
        this.receive = ReceiveRequests.allocate(arena, 1);
        send.set(0, 0, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address(), options.size, memory.lkey());
        send.chain(0, 1);
        long inbox = memory.address() + LatencyWorkload.inbox(options.size);
        receive.set(0, 0, inbox, LatencyWorkload.GRH_BYTES + options.size, memory.lkey());
        receive.chain(0, 1);
    }

    @Override
    public void prepare() {
        Posts.check(wiring.queuePair().postReceive(receive, 0));
    }

    @Override
    public String run(EndPoint peer, boolean client) {
        send.setDatagram(0, wiring.addressHandle(), peer.qpn(), Wiring.QKEY);
        return client ? wakeRepeatedly() : sleepRepeatedly();
    }

    private String wakeRepeatedly() {
        double[] micros = new double[total];
        for (int i = 0; i < total; i++) {
            pause();
            say(System.nanoTime());
            receiveCompletions.await();
            micros[i] = heard() / 1e3;
            Posts.check(wiring.queuePair().postReceive(receive, 0));
        }
        return line(Arrays.copyOfRange(micros, options.warmUp, total));
    }

    private String sleepRepeatedly() {
        CompletionWaiter waiter = CompletionWaiter.of(wiring.receiveQueue());
        for (int i = 0; i < total; i++) {
            int count = waiter.poll(woken, 1, LIMIT);
            long now = System.nanoTime();
            if (count != 1 || woken.status(0) != CompletionStatus.SUCCESS) {
                throw new IllegalStateException("no message for " + LIMIT.toSeconds()
                        + " s: a message was lost, or the peer ended; see the peer's output");
            }
            long slept = now - heard();
            Posts.check(wiring.queuePair().postReceive(receive, 0));
            say(slept);
        }
        return "";
    }

    private void say(long number) {
        memory.segment().set(ValueLayout.JAVA_LONG, 0, number);
        Posts.check(wiring.queuePair().postSend(send, 0));
        sendCompletions.await();
    }

    private long heard() {
        return memory.segment().get(ValueLayout.JAVA_LONG, payload);
    }

    private static void pause() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PAUSE_NANOS) {
            Thread.onSpinWait();
        }
    }

    private String line(double[] micros) {
        Arrays.sort(micros);
        int count = micros.length;
        return String.format(
                Locale.ROOT,
                " %-10d %-14d %14.2f %23.2f",
                options.size,
                count,
                (micros[(count - 1) / 2] + micros[count / 2]) / 2,
                micros[(int) Math.ceil(count * 0.99) - 1]);
    }
}
