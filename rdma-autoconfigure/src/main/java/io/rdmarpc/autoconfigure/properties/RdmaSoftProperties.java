package io.rdmarpc.autoconfigure.properties;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Settings of the software RNIC. */
public final class RdmaSoftProperties implements CheckedSettings {

    /** Own addresses, IPv4 or IPv6. When empty, those of all interfaces that are up. */
    private List<String> addresses = new ArrayList<>();

    /** UDP port, 0 for any free one. When not set, the port of RoCE v2, 4791, or any free one where it is in use. */
    private @Nullable Integer port;

    /** File for all packets, to open in Wireshark; %p in it is the process id. All peers are reached by UDP then. */
    private @Nullable String pcap;

    /** Peers on the same host. */
    private final SharedMemory sharedMemory = new SharedMemory();

    /** Faults to make on purpose, to see how an application copes. */
    private final Faults faults = new Faults();

    public List<String> getAddresses() {
        return addresses;
    }

    public void setAddresses(List<String> addresses) {
        this.addresses = addresses;
    }

    public @Nullable Integer getPort() {
        return port;
    }

    public void setPort(@Nullable Integer port) {
        this.port = port;
    }

    public @Nullable String getPcap() {
        return pcap;
    }

    public void setPcap(@Nullable String pcap) {
        this.pcap = pcap;
    }

    public SharedMemory getSharedMemory() {
        return sharedMemory;
    }

    public Faults getFaults() {
        return faults;
    }

    @Override
    public void check(SettingsCheck check) {
        check.within("port", port, 0, 65535, "must be a UDP port, 0 to 65535: 0 takes any free one");
        check.nested("faults", faults);
    }

    /** How software RNICs of one user on one host reach each other. */
    public static final class SharedMemory {

        /** Whether software RNICs of one user on one host use shared memory. When false, UDP. */
        private boolean enabled = true;

        /** Bytes of the ring to each peer, a power of two from 64 KiB to 256 MiB. When not set, 1 MiB. */
        private @Nullable DataSize ringSize;

        /**
         * Maximum bytes of all rings in which processes of this host send here, from 256 KiB to 64 GiB. One ring has at most a quarter of
         * it, one peer process half of what the others leave; beyond that a peer is reached by UDP. More lets more peers use shared memory
         * and lets each of them take more memory. When not set, 256 MiB or eight times 'ring-size' if that is more.
         */
        private @Nullable DataSize maxInboundSize;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public @Nullable DataSize getRingSize() {
            return ringSize;
        }

        public void setRingSize(@Nullable DataSize ringSize) {
            this.ringSize = ringSize;
        }

        public @Nullable DataSize getMaxInboundSize() {
            return maxInboundSize;
        }

        public void setMaxInboundSize(@Nullable DataSize maxInboundSize) {
            this.maxInboundSize = maxInboundSize;
        }
    }

    /** Faults of the software RNIC; each share is a number from 0 to 1, such as 0.01 for one packet in a hundred. */
    public static final class Faults implements CheckedSettings {

        /** Share of sent packets that are lost. */
        private @Nullable Double loss;

        /** Share of sent packets that arrive twice. */
        private @Nullable Double duplicate;

        /** Share of sent packets that later ones overtake. */
        private @Nullable Double reorder;

        /** Share of sent packets that are delayed. */
        private @Nullable Double delay;

        /** Time that delayed packets wait, in microseconds or more, up to a minute. When not set, 1ms. */
        private @Nullable Duration delayDuration;

        /** Share of sent packets of which a bit changes. */
        private @Nullable Double corrupt;

        /** Number that decides which packets are hit. */
        private @Nullable Long seed;

        /** What happens to certain sent packets, such as "drop 3 ACK; delay 2 SEND 5ms". */
        private @Nullable String script;

        /** How much may be sent, in bits per second of UDP payload, such as 100Mbit. */
        private @Nullable String bandwidth;

        public @Nullable Double getLoss() {
            return loss;
        }

        public void setLoss(@Nullable Double loss) {
            this.loss = loss;
        }

        public @Nullable Double getDuplicate() {
            return duplicate;
        }

        public void setDuplicate(@Nullable Double duplicate) {
            this.duplicate = duplicate;
        }

        public @Nullable Double getReorder() {
            return reorder;
        }

        public void setReorder(@Nullable Double reorder) {
            this.reorder = reorder;
        }

        public @Nullable Double getDelay() {
            return delay;
        }

        public void setDelay(@Nullable Double delay) {
            this.delay = delay;
        }

        public @Nullable Duration getDelayDuration() {
            return delayDuration;
        }

        public void setDelayDuration(@Nullable Duration delayDuration) {
            this.delayDuration = delayDuration;
        }

        public @Nullable Double getCorrupt() {
            return corrupt;
        }

        public void setCorrupt(@Nullable Double corrupt) {
            this.corrupt = corrupt;
        }

        public @Nullable Long getSeed() {
            return seed;
        }

        public void setSeed(@Nullable Long seed) {
            this.seed = seed;
        }

        public @Nullable String getScript() {
            return script;
        }

        public void setScript(@Nullable String script) {
            this.script = script;
        }

        public @Nullable String getBandwidth() {
            return bandwidth;
        }

        public void setBandwidth(@Nullable String bandwidth) {
            this.bandwidth = bandwidth;
        }

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
