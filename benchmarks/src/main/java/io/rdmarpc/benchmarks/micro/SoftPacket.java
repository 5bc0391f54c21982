package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A packet of the software RNIC: base transport header and ICRC. UDP needs both; shared memory omits them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SoftPacket {

    private static final int LOOPBACK = 0x7F00_0001;
    private static final int PORT = 4791;
    private static final int SEND_ONLY = 4;

    private final PacketBuffer packet = new PacketBuffer();
    private final Icrc icrc = new Icrc();
    private int psn;

    /** Payload bytes after the header. */
    @Param({"32", "4096"})
    private int payload;

    /** Called by JMH. */
    public SoftPacket() {}

    /** Encodes the packet that the benchmark decodes. */
    @Setup
    public void prepare() {
        write();
    }

    /**
     * Encodes a packet.
     *
     * @return the packet
     */
    @Benchmark
    public PacketBuffer write() {
        packet.length(Bth.BYTES + payload + Icrc.BYTES);
        Bth.write(packet.bytes(), SEND_ONLY, 0, 17, psn++, false);
        icrc.write(packet, LOOPBACK, PORT, LOOPBACK, PORT);
        return packet;
    }

    /**
     * Checks and decodes a received packet.
     *
     * @return its packet sequence number, or -1 if its ICRC is wrong
     */
    @Benchmark
    public int read() {
        return icrc.matches(packet, LOOPBACK, PORT, LOOPBACK, PORT) ? Bth.psn(packet.bytes()) : -1;
    }
}
