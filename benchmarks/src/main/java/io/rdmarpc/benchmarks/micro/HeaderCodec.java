package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.rpc.wire.PacketHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Encoding and decoding of the engine's packet header. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeaderCodec {

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private long index;

    /** Called by JMH. */
    public HeaderCodec() {}

    /**
     * Encodes a header with a deadline.
     *
     * @return the memory
     */
    @Benchmark
    public MemorySegment write() {
        PacketHeader.write(memory, 0, 1, 0, PacketHeader.FLAG_DEADLINE, 7, 0x1234_5678_9ABCL, index++, 42, 32);
        PacketHeader.writeDeadline(memory, 0, 3_000_000);
        return memory;
    }

    /**
     * Decodes every field.
     *
     * @return a combination of all fields
     */
    @Benchmark
    public long read() {
        long first = PacketHeader.first(memory, 0);
        long last = PacketHeader.last(memory, 0);
        return PacketHeader.version(first)
                + PacketHeader.type(first)
                + PacketHeader.status(first)
                + PacketHeader.flags(first)
                + PacketHeader.session(first)
                + PacketHeader.cookie(memory, 0)
                + PacketHeader.requestIndex(memory, 0)
                + PacketHeader.methodId(last)
                + PacketHeader.length(last)
                + PacketHeader.remainingMicros(memory, 0);
    }
}
