package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A datagram from one software RNIC of this process to another one through shared memory. One thread posts and polls,
 * so that the result is the CPU cost of a packet, without waiting and without a second CPU.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Datagram {

    private static final int BYTES = 72;

    private final NicContext fromNic = open();
    private final NicContext toNic = open();
    private final UdTransport from = UdTransport.open(fromNic, UdConfig.DEFAULTS);
    private final UdTransport to = UdTransport.open(toNic, UdConfig.DEFAULTS);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment message = arena.allocate(4096, 4096);
    private final MemoryRegion region =
            fromNic.protectionDomain().registerLasting(message, EnumSet.of(AccessFlag.LOCAL_WRITE));
    private final UdEndpoint peer = to.endpoint(toNic.gid());
    private final AddressHandle route = fromNic.createAddressHandle(fromNic.gid(), peer.gid(), peer.lid());
    private int length;

    /** Called by JMH. */
    public Datagram() {}

    private static NicContext open() {
        return NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    }

    /** Closes both transports and devices. */
    @TearDown
    public void close() {
        from.close();
        to.close();
        route.close();
        region.close();
        arena.close();
        fromNic.close();
        toNic.close();
    }

    /**
     * Polls without finding a datagram.
     *
     * @return 0
     */
    @Benchmark
    public int emptyPoll() {
        return to.poll(this::onDatagram);
    }

    /**
     * Posts a datagram, polls it, and posts its receive again.
     *
     * @return its length in bytes
     */
    @Benchmark
    public int oneWay() {
        from.send(route.handle(), peer, message.address(), BYTES, region.lkey());
        from.flush();
        while (to.poll(this::onDatagram) == 0) {
            Thread.onSpinWait();
        }
        to.flush();
        from.pollSends();
        return length;
    }

    private void onDatagram(int entry, int bytes, int sourceQpn) {
        length = bytes;
        to.release(entry);
    }
}
