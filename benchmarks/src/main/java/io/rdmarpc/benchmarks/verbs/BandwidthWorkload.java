package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BandwidthReport;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;

/**
 * One-sided operations with a full send queue, in the steps of {@code ib_read_bw} and {@code ib_write_bw}: fill the
 * queue, poll completions, fill it again. The server only provides its memory.
 */
final class BandwidthWorkload implements Workload {

    private static final int POLL_BATCH = 16;

    private final Wiring wiring;
    private final RunOptions options;
    private final int opcode;
    private final int depth;
    private final int moderation;
    private final BenchmarkPoller completions;
    private final SendRequests request;
    private final MemoryRegion memory;
    private final int places;
    private long remoteAddress;
    private int remoteKey;
    private int posted;
    private int completed;

    /**
     * Prepares a run.
     *
     * @param depth maximum number of operations in flight
     * @param moderation number of operations per requested completion
     */
    BandwidthWorkload(
            Arena arena,
            Wiring wiring,
            MemoryRegion memory,
            RunOptions options,
            int opcode,
            int depth,
            int moderation) {
        this.wiring = wiring;
        this.options = options;
        this.opcode = opcode;
        this.depth = depth;
        this.moderation = moderation;
        this.completions = new BenchmarkPoller(arena, wiring.sendQueue(), POLL_BATCH);
        this.request = SendRequests.allocate(arena, 1, 1);
        this.memory = memory;
        this.places = (int) (memory.segment().byteSize() / options.size);
        request.chain(0, 1);
    }

    @Override
    public void prepare() {
        // The target of a one-sided operation posts no receives.
    }

    @Override
    public String run(EndPoint peer, boolean client) {
        if (!client) {
            return "";
        }
        remoteAddress = peer.address();
        remoteKey = peer.rkey();
        move(options.warmUp);
        long start = System.nanoTime();
        move(options.peer.iterations());
        return BandwidthReport.line(options.size, options.peer.iterations(), System.nanoTime() - start);
    }

    private void move(int count) {
        posted = 0;
        completed = 0;
        while (completed < count) {
            fillQueue(count);
            completed = Math.min(count, completed + completions.await() * moderation);
        }
    }

    private void fillQueue(int count) {
        while (posted < count && posted < completed + depth) {
            boolean signaled = posted % moderation == moderation - 1 || posted == count - 1;
            request.set(0, posted, opcode, (signaled ? SendFlags.SIGNALED : 0) | options.flagsForSend(), 1);
            place((long) posted % places * options.size);
            Posts.check(wiring.queuePair().postSend(request, 0));
            posted++;
        }
    }

    /** Assigns the next part of the memory, the same at both ends, to an operation. */
    private void place(long offset) {
        request.setSge(0, 0, memory.address() + offset, options.size, memory.lkey());
        request.setRemote(0, remoteAddress + offset, remoteKey);
    }
}
