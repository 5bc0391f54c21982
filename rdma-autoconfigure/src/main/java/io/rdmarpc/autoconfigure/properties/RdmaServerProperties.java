package io.rdmarpc.autoconfigure.properties;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Settings of offering services. */
public final class RdmaServerProperties implements CheckedSettings {

    public static final int DEFAULT_PORT = 7471;

    /** Whether beans that implement a service are offered to other processes. */
    private boolean enabled = true;

    /** Address to listen on. When not set, all of this host. */
    private @Nullable InetAddress address;

    /** Control port to listen on, 0 for any free one. */
    private int port = DEFAULT_PORT;

    /**
     * Calls that may be unanswered at a time; one more is refused, a large one before it is fetched when one polling
     * thread has them all.
     */
    private int maxConcurrentCalls = 256;

    /** Time a call may wait for a thread once it is here; one that waited longer is refused. 0 allows any time. */
    private Duration maxQueueTime = Duration.ofSeconds(0);

    /** Sessions of clients at a time; one more is refused. */
    private int maxSessions = 16384;

    /**
     * Maximum number of sessions of one peer: of clients with the same certificate, or without one of the same address. When
     * not set, half of what other peers leave free.
     */
    private @Nullable Integer maxSessionsPerPeer;

    /**
     * Maximum number of connections that have not finished their handshake. One address may have half of what others leave
     * free. For a new connection the oldest one of the address with the most has to go.
     */
    private int maxPendingHandshakes = 1024;

    /** Maximum memory that is lent to one peer at a time. When not set, half of what others leave free of rdma.memory.max-size. */
    private @Nullable DataSize maxLentPerPeer;

    /** Time that a session which has ended is remembered, so that its opening repeated makes no other. */
    private Duration sessionTokenLifetime = Duration.ofSeconds(30);

    /**
     * Whether a server on an RDMA device can also be reached through a software RNIC, by clients that its device does
     * not reach.
     */
    private boolean softFallback = true;

    /** Who may call a service, by its name in brackets. Everybody may call one that is not listed. */
    private final Map<String, Service> services = new LinkedHashMap<>();

    /** How the control port gets into a registry. */
    private final Registration registration = new Registration();

    /** Settings of stopping. */
    private final Shutdown shutdown = new Shutdown();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable InetAddress getAddress() {
        return address;
    }

    public void setAddress(@Nullable InetAddress address) {
        this.address = address;
    }

    public int getPort() {
        return port;
    }

    public void setPort(int port) {
        this.port = port;
    }

    public int getMaxConcurrentCalls() {
        return maxConcurrentCalls;
    }

    public void setMaxConcurrentCalls(int maxConcurrentCalls) {
        this.maxConcurrentCalls = maxConcurrentCalls;
    }

    public Duration getMaxQueueTime() {
        return maxQueueTime;
    }

    public void setMaxQueueTime(Duration maxQueueTime) {
        this.maxQueueTime = maxQueueTime;
    }

    public int getMaxSessions() {
        return maxSessions;
    }

    public void setMaxSessions(int maxSessions) {
        this.maxSessions = maxSessions;
    }

    public @Nullable Integer getMaxSessionsPerPeer() {
        return maxSessionsPerPeer;
    }

    public void setMaxSessionsPerPeer(@Nullable Integer maxSessionsPerPeer) {
        this.maxSessionsPerPeer = maxSessionsPerPeer;
    }

    public int getMaxPendingHandshakes() {
        return maxPendingHandshakes;
    }

    public void setMaxPendingHandshakes(int maxPendingHandshakes) {
        this.maxPendingHandshakes = maxPendingHandshakes;
    }

    public @Nullable DataSize getMaxLentPerPeer() {
        return maxLentPerPeer;
    }

    public void setMaxLentPerPeer(@Nullable DataSize maxLentPerPeer) {
        this.maxLentPerPeer = maxLentPerPeer;
    }

    public Duration getSessionTokenLifetime() {
        return sessionTokenLifetime;
    }

    public void setSessionTokenLifetime(Duration sessionTokenLifetime) {
        this.sessionTokenLifetime = sessionTokenLifetime;
    }

    public boolean isSoftFallback() {
        return softFallback;
    }

    public void setSoftFallback(boolean softFallback) {
        this.softFallback = softFallback;
    }

    public Map<String, Service> getServices() {
        return services;
    }

    public Registration getRegistration() {
        return registration;
    }

    public Shutdown getShutdown() {
        return shutdown;
    }

    @Override
    public void check(SettingsCheck check) {
        check.within("port", port, 0, 65535, "must be a TCP port, 0 to 65535: 0 takes any free one");
        check.atLeast("maxConcurrentCalls", maxConcurrentCalls, 1, "must be 1 or more: 256 suits most");
        check.notNegative("maxQueueTime", maxQueueTime);
        check.within("maxSessions", maxSessions, 1, 65536, "must be 1 to 65536: 16384 suits most");
        check.within(
                "maxSessionsPerPeer",
                maxSessionsPerPeer,
                1,
                65536,
                "must be 1 to 65536: leave it out to let one peer have half of what others leave free");
        check.within("maxPendingHandshakes", maxPendingHandshakes, 1, 65536, "must be 1 to 65536: 1024 suits most");
        check.bytes(
                "maxLentPerPeer",
                maxLentPerPeer,
                64 << 10,
                Long.MAX_VALUE,
                "must be 64KB or more: a session lends at least one message");
        check.notNegative("sessionTokenLifetime", sessionTokenLifetime);
        check.nested("registration", registration);
    }

    /** A service and who may call it. */
    public static final class Service {

        /**
         * Peers that may call it, as their certificates describe them: CN=name, a whole subject, dns:, ip:, uri: or email:
         * with a subject alternative name, or * for any that is trusted. Nobody when empty.
         */
        private List<String> allow = new ArrayList<>();

        public List<String> getAllow() {
            return allow;
        }

        public void setAllow(List<String> allow) {
            this.allow = allow;
        }
    }

    /** How the control port gets into a registry, where the application has one. */
    public static final class Registration implements CheckedSettings {

        /** Whether the control port is published with the application's instance. */
        private boolean enabled = true;

        /** Time between leaving the registry and refusing calls, so that clients learn of it first. */
        private Duration quietPeriod = Duration.ofMillis(500);

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getQuietPeriod() {
            return quietPeriod;
        }

        public void setQuietPeriod(Duration quietPeriod) {
            this.quietPeriod = quietPeriod;
        }

        @Override
        public void check(SettingsCheck check) {
            check.notNegative("quietPeriod", quietPeriod);
        }
    }

    /** Settings of stopping a server. */
    public static final class Shutdown {

        /**
         * Time that calls in flight may take; 0 gives them none. No more than nine tenths of
         * 'spring.lifecycle.timeout-per-shutdown-phase', which is also what a negative time means.
         */
        private Duration gracePeriod = Duration.ofSeconds(30);

        public Duration getGracePeriod() {
            return gracePeriod;
        }

        public void setGracePeriod(Duration gracePeriod) {
            this.gracePeriod = gracePeriod;
        }
    }
}
