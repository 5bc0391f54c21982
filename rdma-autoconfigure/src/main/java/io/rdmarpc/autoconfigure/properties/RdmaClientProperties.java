package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.FallbackPolicy;
import io.rdmarpc.service.client.RetrySettings;
import io.rdmarpc.service.client.routing.BalancingConfig;
import io.rdmarpc.service.client.routing.BalancingPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of calls to other processes.
 *
 * @param enabled Whether clients of the services found in the application's packages are created.
 * @param timeout How long a call may take if neither its target nor its method has a time-out. Raising it reports slow servers later.
 * @param maxInFlight Maximum calls of one session in flight at a time, 1 to 256. The smaller value of both sides counts. Raising it
 *     overlaps more calls; each may keep a response of one packet at the server.
 * @param maxQueued Maximum calls of one session that wait to be sent; one more is rejected. Raising it accepts longer bursts, whose
 *     calls wait longer.
 * @param eagerConnect Whether the application connects to all targets when it starts, and does not start if one cannot be reached. When
 *     false, it connects to each at its first call.
 * @param sessionIdleTimeout How long a session may have no call before it is closed; the next call opens another one. 0 keeps it. Targets
 *     with several instances keep a session to each.
 * @param fallback What a client does when its NIC does not reach a server: 'soft' uses the software RNIC if the server offers one,
 *     'none' fails.
 * @param retry How calls of idempotent methods are repeated if their method does not say.
 * @param reconnect How lost sessions come back.
 * @param balancing How targets with several instances are called.
 * @param problemDetails How HTTP requests are answered whose controllers had a failed call.
 * @param discovery How instances are found in a registry.
 * @param targets Processes to call by name. 'default' is called unless @RdmaClient names another.
 * @param services Which target a service's client calls, by the service's name in brackets.
 */
public record RdmaClientProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("3s") Duration timeout,
        @DefaultValue("" + RpcConfig.DEFAULT_MAX_IN_FLIGHT) int maxInFlight,
        @DefaultValue("" + RpcConfig.DEFAULT_MAX_QUEUED) int maxQueued,
        @DefaultValue("false") boolean eagerConnect,
        @DefaultValue("0s") Duration sessionIdleTimeout,
        @DefaultValue("none") FallbackPolicy fallback,
        @DefaultValue Retry retry,
        @DefaultValue Reconnect reconnect,
        @DefaultValue Balancing balancing,
        @DefaultValue ProblemDetails problemDetails,
        @DefaultValue Discovery discovery,
        @DefaultValue Map<String, Target> targets,
        @DefaultValue Map<String, Service> services)
        implements CheckedSettings {

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

    /**
     * How HTTP requests are answered whose controllers had a failed call.
     *
     * @param enabled Whether Spring MVC answers a request whose controller let an RdmaRpcException through with problem details (RFC 9457)
     *     and a status that follows from the call's.
     */
    public record ProblemDetails(@DefaultValue("false") boolean enabled) {}

    /**
     * How calls of idempotent methods are repeated if their method does not say.
     *
     * @param maxAttempts Maximum times that a call is tried, the first time included. Raising it survives more failures and loads a failing
     *     server more.
     * @param initialInterval How long the client waits before the second attempt. Doubles before each further one. Raising it loads a
     *     failing server less.
     * @param attemptTimeout How long one attempt may take, so that a lost one can be tried again within the call's time. When not set, all
     *     that is left.
     */
    public record Retry(
            @DefaultValue("" + RetrySettings.DEFAULT_ATTEMPTS)
            int maxAttempts,

            @DefaultValue(RetrySettings.DEFAULT_BACKOFF_MILLIS + "ms")
            Duration initialInterval,

            @Nullable Duration attemptTimeout)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.atLeast("maxAttempts", maxAttempts, 1, "must be 1 or more: 3 suits most, 1 tries once");
            check.longerThanZero("initialInterval", initialInterval);
            check.longerThanZero("attemptTimeout", attemptTimeout);
        }

        /** Returns the same as clients know it. */
        public RetrySettings settings() {
            return new RetrySettings(maxAttempts, initialInterval, attemptTimeout);
        }
    }

    /**
     * How a service is called.
     *
     * @param target Name of the target that is called if no @RdmaClient names another.
     */
    public record Service(@DefaultValue("") String target) implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.notBlank("target", target, "must be the name of one of rdma.client.targets");
        }
    }

    /**
     * How lost sessions come back. Intervals double from the first to the longest one and vary by half.
     *
     * @param enabled Whether a lost session is replaced before the next call.
     * @param initialInterval How long a client waits after the first attempt that failed, 1ms or more. Raising it loads a failing server
     *     less.
     * @param maxInterval How long a client waits at most between attempts. Raising it loads an unreachable server less and notices its
     *     return later.
     * @param maxElapsedTime How long a client tries before it waits for the next call.
     * @param shuffleAddresses Whether the addresses of a target are tried in random order instead of the order given.
     */
    public record Reconnect(
            @DefaultValue("true") boolean enabled,

            @DefaultValue(ReconnectConfig.DEFAULT_INITIAL_INTERVAL_MILLIS + "ms")
            Duration initialInterval,

            @DefaultValue(ReconnectConfig.DEFAULT_MAX_INTERVAL_MILLIS + "ms")
            Duration maxInterval,

            @DefaultValue(ReconnectConfig.DEFAULT_MAX_ELAPSED_SECONDS + "s")
            Duration maxElapsedTime,

            @DefaultValue("false") boolean shuffleAddresses)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("initialInterval", initialInterval);
            check.longerThanZero("maxInterval", maxInterval);
        }
    }

    /**
     * How targets with several instances are called.
     *
     * @param probation How long an instance that fails calls is left out at first. Doubles up to 32 times of it. Raising it tries a failing
     *     instance less often.
     * @param maxConsecutiveTimeouts Maximum calls in a row that an instance may leave without a response before it is left out. Raising it
     *     tolerates more lost calls.
     * @param drainTimeout How long calls in flight may take after their instance was removed from the list. Raising it cuts off fewer of
     *     them.
     */
    public record Balancing(
            @DefaultValue(BalancingConfig.DEFAULT_PROBATION_SECONDS + "s")
            Duration probation,

            @DefaultValue("" + BalancingConfig.DEFAULT_TIMEOUTS)
            int maxConsecutiveTimeouts,

            @DefaultValue(BalancingConfig.DEFAULT_DRAIN_SECONDS + "s")
            Duration drainTimeout)
            implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("probation", probation);
            check.atLeast("maxConsecutiveTimeouts", maxConsecutiveTimeouts, 1, "must be 1 or more: 5 suits most");
            check.notNegative("drainTimeout", drainTimeout);
        }
    }

    /**
     * How instances are found in a registry.
     *
     * @param refreshInterval How long clients wait between two queries of the registry. They also query it when it reports a change, and
     *     when an instance does not respond. Raising it costs less and finds new instances later.
     */
    public record Discovery(@DefaultValue("10s") Duration refreshInterval) implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("refreshInterval", refreshInterval);
        }
    }

    /**
     * A process to call, or several.
     *
     * @param address Host and control port as host:port, without a port 7471; several, divided by commas, for a service that several
     *     processes offer; or a service of a registry, as discovery:orders or lb://orders.
     * @param addresses The same as a list.
     * @param policy How calls are spread over several instances. When not set, those of a registry are called one after the other, and
     *     of a list the first that responds.
     * @param timeout How long a call may take if its method has no time-out.
     */
    public record Target(
            @Nullable String address,
            @DefaultValue List<String> addresses,
            @Nullable BalancingPolicy policy,
            @Nullable Duration timeout)
            implements CheckedSettings {

        /** Creates the settings of a target that is nowhere set. */
        public static Target of(String address) {
            return new Target(address, List.of(), null, null);
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
