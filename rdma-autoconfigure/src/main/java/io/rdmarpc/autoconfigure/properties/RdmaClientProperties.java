package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.FallbackPolicy;
import io.rdmarpc.service.client.RetrySettings;
import io.rdmarpc.service.client.routing.BalancingPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings of calls to other processes. */
public final class RdmaClientProperties implements CheckedSettings {

    /** Whether clients of the services found in the application's packages are made. */
    private boolean enabled = true;

    /** Time a call may take where neither its target nor its method says. */
    private Duration timeout = Duration.ofSeconds(3);

    /** Calls of one session in flight at a time, 1 to 256. The smaller value of both sides counts. */
    private int maxInFlight = 8;

    /** Calls of one session that may wait to be sent; one more is refused. */
    private int maxQueued = 1024;

    /**
     * Whether all targets are connected to when the application starts, which fails where one cannot be reached. When
     * false, each at its first call.
     */
    private boolean eagerConnect;

    /**
     * Time without a call after which a session is closed; the next call opens another one. 0 keeps it. Targets with
     * several instances keep a session to each.
     */
    private Duration sessionIdleTimeout = Duration.ofSeconds(0);

    /**
     * What a client does when its NIC does not reach a server: 'soft' takes the software RNIC, where the server offers
     * one, and 'none' says so.
     */
    private FallbackPolicy fallback = FallbackPolicy.NONE;

    /** How calls of idempotent methods are made again where their method does not say. */
    private final Retry retry = new Retry();

    /** How lost sessions come back. */
    private final Reconnect reconnect = new Reconnect();

    /** How targets with several instances are called. */
    private final Balancing balancing = new Balancing();

    /** How HTTP requests are answered whose controllers had a failed call. */
    private final ProblemDetails problemDetails = new ProblemDetails();

    /** How instances are found in a registry. */
    private final Discovery discovery = new Discovery();

    /** Processes to call by name; 'default' is called unless @RdmaClient names another. */
    private final Map<String, Target> targets = new LinkedHashMap<>();

    /** Which target a service's client calls, by the service's name in brackets. */
    private final Map<String, Service> services = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    public int getMaxInFlight() {
        return maxInFlight;
    }

    public void setMaxInFlight(int maxInFlight) {
        this.maxInFlight = maxInFlight;
    }

    public int getMaxQueued() {
        return maxQueued;
    }

    public void setMaxQueued(int maxQueued) {
        this.maxQueued = maxQueued;
    }

    public boolean isEagerConnect() {
        return eagerConnect;
    }

    public void setEagerConnect(boolean eagerConnect) {
        this.eagerConnect = eagerConnect;
    }

    public Duration getSessionIdleTimeout() {
        return sessionIdleTimeout;
    }

    public void setSessionIdleTimeout(Duration sessionIdleTimeout) {
        this.sessionIdleTimeout = sessionIdleTimeout;
    }

    public FallbackPolicy getFallback() {
        return fallback;
    }

    public void setFallback(FallbackPolicy fallback) {
        this.fallback = fallback;
    }

    public Retry getRetry() {
        return retry;
    }

    public Reconnect getReconnect() {
        return reconnect;
    }

    public Balancing getBalancing() {
        return balancing;
    }

    public ProblemDetails getProblemDetails() {
        return problemDetails;
    }

    public Discovery getDiscovery() {
        return discovery;
    }

    public Map<String, Target> getTargets() {
        return targets;
    }

    public Map<String, Service> getServices() {
        return services;
    }

    @Override
    public void check(SettingsCheck check) {
        check.longerThanZero("timeout", timeout);
        check.within("maxInFlight", maxInFlight, 1, RpcConfig.LARGEST_WINDOW, "must be 1 to 256: 8 suits most");
        check.atLeast("maxQueued", maxQueued, 0, "must be 0 or more: 0 refuses calls beyond max-in-flight at once");
        check.nested("retry", retry);
        check.nested("reconnect", reconnect);
        check.nested("balancing", balancing);
        check.nested("discovery", discovery);
        check.nested("targets", targets);
        check.nested("services", services);
    }

    public static final class ProblemDetails {

        /**
         * Whether Spring MVC answers a request whose controller let an RdmaRpcException through with problem details (RFC 9457)
         * and a status that follows from the call's.
         */
        private boolean enabled;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }

    /** How calls of idempotent methods are made again where their method does not say. */
    public static final class Retry implements CheckedSettings {

        /** How often a call is tried at most, the first time included. */
        private int maxAttempts = 3;

        /** Pause before the second attempt; it doubles before each further one. */
        private Duration initialInterval = Duration.ofMillis(20);

        /**
         * Time that one attempt may take, so that a lost one can be tried again within the call's time. When not set, all
         * that is left.
         */
        private @Nullable Duration attemptTimeout;

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public Duration getInitialInterval() {
            return initialInterval;
        }

        public void setInitialInterval(Duration initialInterval) {
            this.initialInterval = initialInterval;
        }

        public @Nullable Duration getAttemptTimeout() {
            return attemptTimeout;
        }

        public void setAttemptTimeout(@Nullable Duration attemptTimeout) {
            this.attemptTimeout = attemptTimeout;
        }

        @Override
        public void check(SettingsCheck check) {
            check.atLeast("maxAttempts", maxAttempts, 1, "must be 1 or more: 3 suits most, 1 tries once");
            check.longerThanZero("initialInterval", initialInterval);
            check.longerThanZero("attemptTimeout", attemptTimeout);
        }

        public RetrySettings settings() {
            return new RetrySettings(maxAttempts, initialInterval, attemptTimeout);
        }
    }

    /** How a service is called. */
    public static final class Service implements CheckedSettings {

        /** Name of the target that is called where no @RdmaClient names another. */
        private String target = "";

        public String getTarget() {
            return target;
        }

        public void setTarget(String target) {
            this.target = target;
        }

        @Override
        public void check(SettingsCheck check) {
            check.notBlank("target", target, "must be the name of one of rdma.client.targets");
        }
    }

    /** How lost sessions come back. Pauses double from the first to the longest one and vary by half. */
    public static final class Reconnect implements CheckedSettings {

        /** Whether a lost session is replaced before the next call. */
        private boolean enabled = true;

        /** Pause after the first attempt that failed. */
        private Duration initialInterval = Duration.ofMillis(20);

        /** Longest pause between attempts. */
        private Duration maxInterval = Duration.ofMillis(500);

        /** Time after which it is left to the next call. */
        private Duration maxElapsedTime = Duration.ofSeconds(30);

        /** Whether the addresses of a target are tried in random order instead of the order given. */
        private boolean shuffleAddresses;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getInitialInterval() {
            return initialInterval;
        }

        public void setInitialInterval(Duration initialInterval) {
            this.initialInterval = initialInterval;
        }

        public Duration getMaxInterval() {
            return maxInterval;
        }

        public void setMaxInterval(Duration maxInterval) {
            this.maxInterval = maxInterval;
        }

        public Duration getMaxElapsedTime() {
            return maxElapsedTime;
        }

        public void setMaxElapsedTime(Duration maxElapsedTime) {
            this.maxElapsedTime = maxElapsedTime;
        }

        public boolean isShuffleAddresses() {
            return shuffleAddresses;
        }

        public void setShuffleAddresses(boolean shuffleAddresses) {
            this.shuffleAddresses = shuffleAddresses;
        }

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("initialInterval", initialInterval);
            check.longerThanZero("maxInterval", maxInterval);
        }
    }

    /** How targets with several instances are called. */
    public static final class Balancing implements CheckedSettings {

        /** Time that an instance which fails calls is left out at first; doubles up to 32 times of it. */
        private Duration probation = Duration.ofSeconds(1);

        /** Calls in a row that an instance may leave unanswered before it is left out. */
        private int maxConsecutiveTimeouts = 5;

        /** Time that calls in flight may take after their instance was removed from the list. */
        private Duration drainTimeout = Duration.ofSeconds(30);

        public Duration getProbation() {
            return probation;
        }

        public void setProbation(Duration probation) {
            this.probation = probation;
        }

        public int getMaxConsecutiveTimeouts() {
            return maxConsecutiveTimeouts;
        }

        public void setMaxConsecutiveTimeouts(int maxConsecutiveTimeouts) {
            this.maxConsecutiveTimeouts = maxConsecutiveTimeouts;
        }

        public Duration getDrainTimeout() {
            return drainTimeout;
        }

        public void setDrainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
        }

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("probation", probation);
            check.atLeast("maxConsecutiveTimeouts", maxConsecutiveTimeouts, 1, "must be 1 or more: 5 suits most");
            check.notNegative("drainTimeout", drainTimeout);
        }
    }

    /** How instances are found in a registry. */
    public static final class Discovery implements CheckedSettings {

        /**
         * Time between two looks at the registry, which is also looked at when it tells of a change, and when an instance
         * does not answer.
         */
        private Duration refreshInterval = Duration.ofSeconds(10);

        public Duration getRefreshInterval() {
            return refreshInterval;
        }

        public void setRefreshInterval(Duration refreshInterval) {
            this.refreshInterval = refreshInterval;
        }

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("refreshInterval", refreshInterval);
        }
    }

    /** A process to call, or several. */
    public static final class Target implements CheckedSettings {

        /**
         * Host and control port as host:port, without a port 7471; several, divided by commas, for a service that several
         * processes offer; or a service of a registry, as discovery:orders or lb://orders.
         */
        private @Nullable String address;

        /** The same as a list. */
        private List<String> addresses = new ArrayList<>();

        /**
         * How calls are spread over several instances. When not set, those of a registry are called one after the other,
         * and of a list the first that answers.
         */
        private @Nullable BalancingPolicy policy;

        /** Time a call may take where its method does not say. */
        private @Nullable Duration timeout;

        public static Target of(String address) {
            Target target = new Target();
            target.setAddress(address);
            return target;
        }

        public @Nullable String getAddress() {
            return address;
        }

        public void setAddress(@Nullable String address) {
            this.address = address;
        }

        public List<String> getAddresses() {
            return addresses;
        }

        public void setAddresses(List<String> addresses) {
            this.addresses = addresses;
        }

        public @Nullable BalancingPolicy getPolicy() {
            return policy;
        }

        public void setPolicy(@Nullable BalancingPolicy policy) {
            this.policy = policy;
        }

        public @Nullable Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(@Nullable Duration timeout) {
            this.timeout = timeout;
        }

        @Override
        public void check(SettingsCheck check) {
            if (addresses.isEmpty()) {
                check.notBlank("address", address, "must be host:port, such as orders.example.com:7471");
            }
            check.longerThanZero("timeout", timeout);
        }
    }
}
