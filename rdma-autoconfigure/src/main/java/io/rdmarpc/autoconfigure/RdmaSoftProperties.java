package io.rdmarpc.autoconfigure;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the software RNIC.
 *
 * @param addresses Own addresses, IPv4 or IPv6. When empty, those of all interfaces that are up.
 * @param port UDP port, 0 for any free one. When not set, the port of RoCE v2, 4791, or any free one where it is in use.
 * @param pcap File for all packets, to open in Wireshark; %p in it is the process id. All peers are reached by UDP then.
 * @param sharedMemory Peers on the same host.
 * @param faults Faults to make on purpose, to see how an application copes.
 */
public record RdmaSoftProperties(
        @DefaultValue List<String> addresses,

        @Min(value = 0, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
        @Max(value = 65535, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
        @Nullable
        Integer port,

        @Nullable String pcap,
        @Valid @DefaultValue SharedMemory sharedMemory,
        @Valid @DefaultValue Faults faults) {

    /**
     * How software RNICs of one user on one host reach each other.
     *
     * @param enabled Whether software RNICs of one user on one host use shared memory. When false, UDP.
     * @param ringBytes Bytes of the ring to each peer, a power of two from 64 KiB to 256 MiB. When not set, 1 MiB.
     */
    public record SharedMemory(
            @DefaultValue("true") boolean enabled, @Nullable Integer ringBytes) {}

    /**
     * Faults of the software RNIC; each share is a number from 0 to 1, such as 0.01 for one packet in a hundred.
     *
     * @param loss Share of sent packets that are lost.
     * @param duplicate Share of sent packets that arrive twice.
     * @param reorder Share of sent packets that later ones overtake.
     * @param delay Share of sent packets that are delayed.
     * @param delayMicros Microseconds that delayed packets wait.
     * @param corrupt Share of sent packets of which a bit changes.
     * @param seed Number that decides which packets are hit.
     * @param script What happens to certain sent packets, such as "drop 3 ACK; delay 2 SEND 5ms".
     * @param bandwidth How much may be sent, in bits per second of UDP payload, such as 100Mbit.
     */
    public record Faults(
            @Nullable Double loss,
            @Nullable Double duplicate,
            @Nullable Double reorder,
            @Nullable Double delay,
            @Nullable Long delayMicros,
            @Nullable Double corrupt,
            @Nullable Long seed,
            @Nullable String script,
            @Nullable String bandwidth) {}
}
