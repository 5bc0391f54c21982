package io.rdmarpc.autoconfigure.properties;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the software RNIC.
 *
 * @param addresses Local IPv4 or IPv6 addresses to use. When empty, the addresses of all interfaces that are up.
 * @param port UDP port, 0 for any free one. When not set, the port of RoCE v2, 4791, or any free one if it is in use.
 * @param pcap Capture file of all packets, for Wireshark. '%p' is replaced by the process id. With a file, all peers
 *     are reached over UDP.
 * @param sharedMemory Settings of the path to peers on the same host.
 * @param faults Injected faults, for tests of an application's behavior under faults.
 */
public record RdmaSoftProperties(
        @DefaultValue List<String> addresses,
        @Nullable Integer port,
        @Nullable String pcap,
        @DefaultValue SharedMemory sharedMemory,
        @DefaultValue Faults faults)
        implements CheckedSettings {

    @Override
    public void check(SettingsCheck check) {
        check.within("port", port, 0, 65535, "must be a UDP port, 0 to 65535: 0 takes any free one");
        check.nested("faults", faults);
    }

    /**
     * Settings of the path between software RNICs of one user on one host.
     *
     * @param enabled Whether software RNICs of one user on one host use shared memory. When false, they use UDP.
     * @param ringSize Size of the ring to each peer, a power of two from 64KB to 256MB. Raising it lets more packets
     *     wait for a busy peer. When not set, 1MB.
     * @param maxInboundSize Maximum size of all rings in which processes of this host send to this process, 256KB to
     *     64GB. Raising it lets more peers use shared memory instead of UDP. When not set, 256MB, or eight times
     *     'ring-size' if that is more.
     */
    public record SharedMemory(
            @DefaultValue("true") boolean enabled,
            @Nullable DataSize ringSize,
            @Nullable DataSize maxInboundSize) {}

    /**
     * Injected faults of the software RNIC. Each share is a number from 0 to 1, such as 0.01 for one packet in a
     * hundred.
     *
     * @param loss Share of sent packets that are dropped.
     * @param duplicate Share of sent packets that arrive twice.
     * @param reorder Share of sent packets that later packets overtake.
     * @param delay Share of sent packets that are delayed.
     * @param delayDuration How long delayed packets wait, 0 to 1m. When not set, 1ms.
     * @param corrupt Share of sent packets in which one bit is flipped.
     * @param seed Seed of the random numbers that select the packets.
     * @param script Faults of certain sent packets, such as "drop 3 ACK; delay 2 SEND 5ms".
     * @param bandwidth Maximum bits of UDP payload per second, such as 100Mbit. Raising it sends faster.
     */
    public record Faults(
            @Nullable Double loss,
            @Nullable Double duplicate,
            @Nullable Double reorder,
            @Nullable Double delay,
            @Nullable Duration delayDuration,
            @Nullable Double corrupt,
            @Nullable Long seed,
            @Nullable String script,
            @Nullable String bandwidth)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.within(
                    "delayDuration",
                    delayDuration,
                    Duration.ZERO,
                    Duration.ofMinutes(1),
                    "must be 0 to 1 minute: use a duration such as 500us or 2ms");
        }
    }
}
