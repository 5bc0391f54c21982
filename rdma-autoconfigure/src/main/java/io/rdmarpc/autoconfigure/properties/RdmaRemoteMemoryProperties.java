package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.remote.lease.RemoteRight;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Settings of remote memory: one-sided operations on the memory of other processes. */
@ConfigurationProperties("rdma.remote-memory")
public final class RdmaRemoteMemoryProperties implements CheckedSettings {

    /**
     * Whether remote memory is opened, for use and for lending: a second set of queues of the device, and a
     * RemoteMemoryTemplate.
     */
    private boolean enabled;

    /** Whether clients may connect although this process offers no service, to use its memory. */
    private boolean listen;

    /** Time a peer may take to answer a question about memory, connecting included. */
    private Duration responseTimeout = Duration.ofSeconds(10);

    /** UDP port of the software RNIC for remote memory, beside that of calls. 0 takes any free one. */
    private int softPort;

    /** What peers may have of this process. */
    private final Lending lending = new Lending();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public boolean isListen() {
        return listen;
    }

    public void setListen(boolean listen) {
        this.listen = listen;
    }

    public Duration getResponseTimeout() {
        return responseTimeout;
    }

    public void setResponseTimeout(Duration responseTimeout) {
        this.responseTimeout = responseTimeout;
    }

    public int getSoftPort() {
        return softPort;
    }

    public void setSoftPort(int softPort) {
        this.softPort = softPort;
    }

    public Lending getLending() {
        return lending;
    }

    @Override
    public void check(SettingsCheck check) {
        check.longerThanZero("responseTimeout", responseTimeout);
        check.within("softPort", softPort, 0, 65535, "must be a UDP port, 0 to 65535: 0 takes any free one");
        check.nested("lending", lending);
    }

    /** What peers may have of this process. A peer is a host. */
    public static final class Lending implements CheckedSettings {

        /** Most memory allocated for all peers together; with 0 they use only what is granted to them. */
        private DataSize maxSize = DataSize.ofGigabytes(1);

        /** Most memory allocated for one peer. */
        private DataSize maxSizePerPeer = DataSize.ofMegabytes(256);

        /** Most regions of one peer, grants included. */
        private int maxRegionsPerPeer = 20000;

        /** Most connections about memory that one peer opens. */
        private int maxLinksPerPeer = 256;

        /** What a peer may ask for when it allocates. */
        private Set<RemoteRight> rights = EnumSet.allOf(RemoteRight.class);

        /** Longest lease of an allocation; a longer one is shortened to it. */
        private Duration maxLease = Duration.ofHours(1);

        /** Time after a lease's end in which operations that began before it may end; longer ones are cut off. */
        private Duration gracePeriod = Duration.ofMillis(50);

        public DataSize getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(DataSize maxSize) {
            this.maxSize = maxSize;
        }

        public DataSize getMaxSizePerPeer() {
            return maxSizePerPeer;
        }

        public void setMaxSizePerPeer(DataSize maxSizePerPeer) {
            this.maxSizePerPeer = maxSizePerPeer;
        }

        public int getMaxRegionsPerPeer() {
            return maxRegionsPerPeer;
        }

        public void setMaxRegionsPerPeer(int maxRegionsPerPeer) {
            this.maxRegionsPerPeer = maxRegionsPerPeer;
        }

        public int getMaxLinksPerPeer() {
            return maxLinksPerPeer;
        }

        public void setMaxLinksPerPeer(int maxLinksPerPeer) {
            this.maxLinksPerPeer = maxLinksPerPeer;
        }

        public Set<RemoteRight> getRights() {
            return rights;
        }

        public void setRights(Set<RemoteRight> rights) {
            this.rights = rights;
        }

        public Duration getMaxLease() {
            return maxLease;
        }

        public void setMaxLease(Duration maxLease) {
            this.maxLease = maxLease;
        }

        public Duration getGracePeriod() {
            return gracePeriod;
        }

        public void setGracePeriod(Duration gracePeriod) {
            this.gracePeriod = gracePeriod;
        }

        @Override
        public void check(SettingsCheck check) {
            check.bytes("maxSize", maxSize, 0, Long.MAX_VALUE, "must be 0B or more: 0B lends by grants only");
            check.bytes(
                    "maxSizePerPeer", maxSizePerPeer, 0, Long.MAX_VALUE, "must be 0B or more: 0B lends by grants only");
            check.atLeast("maxRegionsPerPeer", maxRegionsPerPeer, 0, "must be 0 or more: 20000 suits most");
            check.atLeast("maxLinksPerPeer", maxLinksPerPeer, 1, "must be 1 or more: 256 suits most");
            check.longerThanZero("maxLease", maxLease);
            check.notNegative("gracePeriod", gracePeriod);
        }
    }
}
