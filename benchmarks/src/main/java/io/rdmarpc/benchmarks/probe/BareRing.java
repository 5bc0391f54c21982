package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import picocli.CommandLine.Command;

/**
 * A ring of 32-byte messages from one process to another, without any protocol.
 *
 * <pre>
 *   byte 0      128    256
 *        tail   head   slot 0 (32 bytes), slot 1, ... slot 4095
 * </pre>
 *
 * The producer publishes 16 messages at a time. The consumer reads each message and checks its number.
 */
@Command(
        name = "ring",
        description = "32 B messages in one direction through a shared-memory ring, published in batches of 16",
        mixinStandardHelpOptions = true)
final class BareRing extends TwoProcessProbe {

    private static final long TAIL = 0;
    private static final long HEAD = 128;
    private static final long SLOTS = 256;
    private static final int CAPACITY = 4096;
    private static final int MESSAGE_BYTES = 32;
    private static final int BATCH = 16;
    private static final long BYTES = SLOTS + (long) CAPACITY * MESSAGE_BYTES;
    private static final VarHandle COUNTER = ValueLayout.JAVA_LONG.varHandle();

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("message or free space in the ring");
    private long tail;
    private long head;

    BareRing() {
        super("M/s", 10_000_000);
    }

    @Override
    void first(Arena arena, ChildProcess peer) throws Exception {
        MemorySegment memory = ProbeSharedFile.share(arena, peer, BYTES);
        print(peer, () -> millionsPerSecond(memory));
    }

    private double millionsPerSecond(MemorySegment memory) {
        int batches = batches(iterations());
        long start = System.nanoTime();
        for (int i = 0; i < batches; i++) {
            produce(memory);
        }
        awaitHead(memory, tail);
        return (double) batches * BATCH * 1e3 / (System.nanoTime() - start);
    }

    private void produce(MemorySegment memory) {
        if (tail + BATCH - head > CAPACITY) {
            awaitHead(memory, tail + BATCH - CAPACITY);
        }
        for (int i = 0; i < BATCH; i++) {
            write(memory, tail + i);
        }
        tail += BATCH;
        COUNTER.setRelease(memory, TAIL, tail);
    }

    private void awaitHead(MemorySegment memory, long least) {
        while ((head = (long) COUNTER.getAcquire(memory, HEAD)) < least) {
            pollTimeout.check();
        }
        pollTimeout.reset();
    }

    @Override
    void second(Arena arena, ProbeRequests requests) throws IOException, InterruptedException {
        MemorySegment memory = ProbeSharedFile.join(arena, requests, BYTES);
        while (true) {
            long end = head + (long) batches(awaitRun(requests)) * BATCH;
            while (head < end) {
                consume(memory);
            }
        }
    }

    private static int batches(int messages) {
        return Math.max(1, messages / BATCH);
    }

    private void consume(MemorySegment memory) {
        tail = (long) COUNTER.getAcquire(memory, TAIL);
        if (tail == head) {
            Thread.onSpinWait();
            pollTimeout.check();
            return;
        }
        pollTimeout.reset();
        for (; head < tail; head++) {
            check(memory, head);
        }
        COUNTER.setRelease(memory, HEAD, head);
    }

    private static long slot(long number) {
        return SLOTS + number % CAPACITY * MESSAGE_BYTES;
    }

    private static void write(MemorySegment memory, long number) {
        long slot = slot(number);
        memory.set(ValueLayout.JAVA_LONG, slot, number);
        memory.set(ValueLayout.JAVA_LONG, slot + 8, number);
        memory.set(ValueLayout.JAVA_LONG, slot + 16, number);
        memory.set(ValueLayout.JAVA_LONG, slot + 24, number);
    }

    private static void check(MemorySegment memory, long number) {
        long slot = slot(number);
        long different = memory.get(ValueLayout.JAVA_LONG, slot) ^ number;
        different |= memory.get(ValueLayout.JAVA_LONG, slot + 8) ^ number;
        different |= memory.get(ValueLayout.JAVA_LONG, slot + 16) ^ number;
        different |= memory.get(ValueLayout.JAVA_LONG, slot + 24) ^ number;
        if (different != 0) {
            throw new IllegalStateException("message " + number + " differs from the written one");
        }
    }
}
