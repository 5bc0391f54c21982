package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.probe.ProbeSharedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** Round trips of a number in shared memory, which show how far the two CPUs currently are from each other. */
final class FlagContestant implements Contestant {

    private static final long BYTES = 4096;
    private static final long THERE = 0;
    private static final long BACK = 128;
    private static final VarHandle FLAG = ValueLayout.JAVA_LONG.varHandle();

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode("a number in shared memory", "inline", "both ends");
    }

    @Override
    public Server serve() throws IOException {
        Path file = ProbeSharedFile.create();
        MemorySegment memory = ProbeSharedFile.map(Arena.global(), file, BYTES);
        Thread.ofPlatform().daemon().start(() -> {
            for (long next = 1; ; next++) {
                while ((long) FLAG.getAcquire(memory, THERE) != next) {
                    Thread.onSpinWait();
                }
                FLAG.setRelease(memory, BACK, next);
            }
        });
        return new Server() {
            @Override
            public String address() {
                return file.toString();
            }

            @Override
            public void close() {
                // The client usually deletes the file; it still exists only if no client connected.
                boolean _ = file.toFile().delete();
            }
        };
    }

    @Override
    public Client connect(String address) throws IOException {
        Path file = Path.of(address);
        MemorySegment memory = ProbeSharedFile.map(Arena.global(), file, BYTES);
        Files.delete(file);
        return new Client() {
            @Override
            public Caller caller(Payload payload) {
                return new FlagCaller(memory);
            }

            @Override
            public void close() {}
        };
    }

    private static final class FlagCaller implements Caller {

        private final MemorySegment memory;
        private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("flag");
        private long last;

        FlagCaller(MemorySegment memory) {
            this.memory = memory;
        }

        @Override
        public void call() {
            FLAG.setRelease(memory, THERE, ++last);
            while ((long) FLAG.getAcquire(memory, BACK) != last) {
                pollTimeout.check();
                Thread.onSpinWait();
            }
            pollTimeout.reset();
        }
    }
}
