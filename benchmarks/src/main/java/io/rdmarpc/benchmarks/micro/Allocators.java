package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Allocation and release of a buffer in registered memory. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Allocators {

    private static final int PACKET_BYTES = 4056;
    private static final int LARGE_BYTES = 64 << 10;

    private final NicContext nic = NicContext.open(
            NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    private final MemoryBudget budget = new MemoryBudget(1 << 28);
    private final SlabPool packets = new SlabPool(nic.protectionDomain(), budget, PACKET_BYTES, 64);
    private final BuddyArena arena = new BuddyArena(nic.protectionDomain(), budget);

    /** Called by JMH. */
    public Allocators() {}

    /** Releases all memory. */
    @TearDown
    public void close() {
        packets.close();
        arena.close();
        nic.close();
    }

    /**
     * Allocates and releases a block for a packet.
     *
     * @return its capacity in bytes
     */
    @Benchmark
    public int slab() {
        try (MessageBuffer buffer = packets.allocate()) {
            return buffer.capacity();
        }
    }

    /**
     * Allocates and releases 64 KiB of the arena.
     *
     * @return its capacity in bytes
     */
    @Benchmark
    public int buddy() {
        try (MessageBuffer buffer = arena.allocate(LARGE_BYTES)) {
            return buffer.capacity();
        }
    }
}
