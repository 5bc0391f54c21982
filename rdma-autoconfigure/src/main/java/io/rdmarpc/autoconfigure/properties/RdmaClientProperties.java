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
 * @param timeout How long a call may take if neither its method nor its target has a timeout. Raising it tolerates
 *     slower servers and reports failed ones later.
 * @param maxInFlight Maximum calls of one session in flight, 1 to 256. The smaller value of both sides applies.
 *     Raising it overlaps more calls. The server may retain a response of one packet for each.
 * @param maxQueued Maximum calls of one session that wait to be sent. Further calls are rejected. Raising it accepts
 *     longer bursts, whose calls wait longer.
 * @param eagerConnect Whether the application connects to all targets when it starts, and fails to start if a target
 *     is unreachable. When false, it connects to each target at the first call.
 * @param sessionIdleTimeout How long a session may have no call before the client closes it. 0 keeps idle sessions.
 *     Raising it saves reconnects and keeps more sessions open.
 * @param fallback Path to a server that the client's NIC does not reach: 'soft' uses the software RNIC if the server
 *     offers one, 'none' fails.
 * @param retry How calls of idempotent methods are retried if their method does not configure it.
 * @param reconnect How lost sessions are replaced.
 * @param balancing How targets with several instances are called.
 * @param problemDetails How HTTP requests are answered if a call of their controller failed.
 * @param discovery How instances are found in a registry.
 * @param targets Processes to call, by name. Clients call 'default' unless @RdmaClient names another target.
 * @param services Target of a service's client, by the service's name in brackets.
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
        check.within("maxInFlight", maxInFlight, 1, RpcConfig.MAX_IN_FLIGHT, "must be 1 to 256: 8 suits most");
        check.atLeast("maxQueued", maxQueued, 0, "must be 0 or more: 0 rejects calls beyond max-in-flight");
        check.nested("retry", retry);
        check.nested("reconnect", reconnect);
        check.nested("balancing", balancing);
        check.nested("discovery", discovery);
        check.nested("targets", targets);
        check.nested("services", services);
    }

    /**
     * How HTTP requests are answered if a call of their controller failed.
     *
     * @param enabled Whether Spring MVC responds with problem details (RFC 9457) if a controller throws an
     *     RdmaRpcException. The HTTP status follows from the status of the call.
     * @param includeDetails Whether problem details contain the details of the failure, such as field violations and
     *     the reason.
     * @param includeDebug Whether problem details contain the debug text of the failure, which is usually a stack
     *     trace. The controller must have requested it, and the server must permit it.
     */
    public record ProblemDetails(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("true") boolean includeDetails,
            @DefaultValue("false") boolean includeDebug) {}

    /**
     * How calls of idempotent methods are retried if their method does not configure it.
     *
     * @param maxAttempts Maximum attempts of a call, the first one included. Raising it survives more failures and
     *     increases the load of a failing server.
     * @param initialInterval How long the client waits before the second attempt. The interval doubles before each
     *     further attempt. Raising it reduces the load of a failing server.
     * @param attemptTimeout How long one attempt may take, so that the client can retry a lost attempt within the
     *     call's timeout. When not set, the remaining time. Raising it tolerates slower responses and leaves time for
     *     fewer attempts.
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

        /** Returns these settings in the form that clients use. */
        public RetrySettings settings() {
            return new RetrySettings(maxAttempts, initialInterval, attemptTimeout);
        }
    }

    /**
     * How a service is called.
     *
     * @param target Name of the target to call if no @RdmaClient names another one.
     */
    public record Service(@DefaultValue("") String target) implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.notBlank("target", target, "must be the name of one of rdma.client.targets");
        }
    }

    /**
     * How lost sessions are replaced. The interval doubles from the initial to the maximum one and varies randomly by
     * half.
     *
     * @param enabled Whether a lost session is replaced before the next call.
     * @param initialInterval How long a client waits after the first failed attempt, at least 1ms. Raising it reduces
     *     the load of a failing server.
     * @param maxInterval How long a client waits between attempts at most. Raising it sends less to an unreachable
     *     server and notices its return later.
     * @param maxElapsedTime How long a client retries before it stops until the next call. Raising it reconnects
     *     after longer outages without a call.
     * @param shuffleAddresses Whether the addresses of a target are tried in random order instead of the configured
     *     order.
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
     * @param probation How long an instance that fails calls is excluded at first. The time doubles up to 32 times
     *     its value. Raising it tries a failing instance less often.
     * @param maxConsecutiveTimeouts Maximum consecutive calls without a response before an instance is excluded.
     *     Raising it tolerates more lost calls.
     * @param drainTimeout How long calls in flight may take after their instance was removed from the list. Raising
     *     it cancels fewer of them.
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
     * @param refreshInterval How long clients wait between two queries of the registry. Raising it reduces the load of
     *     the registry and finds new instances later.
     */
    public record Discovery(@DefaultValue("10s") Duration refreshInterval) implements CheckedSettings {

        @Override
        public void check(SettingsCheck check) {
            check.longerThanZero("refreshInterval", refreshInterval);
        }
    }

    /**
     * A target: one process or several.
     *
     * @param address Host and control port as host:port, with 7471 as the default port. Separate several addresses by
     *     commas if several processes offer the service. A registry address is discovery:orders or lb://orders.
     * @param addresses The addresses as a list, instead of 'address'.
     * @param policy How calls are distributed over several instances. When not set, instances of a registry are
     *     called in turn, and of several addresses the first one that responds is called.
     * @param timeout How long a call may take if its method has no timeout. Raising it tolerates slower servers and
     *     reports failed ones later.
     */
    public record Target(
            @Nullable String address,
            @DefaultValue List<String> addresses,
            @Nullable BalancingPolicy policy,
            @Nullable Duration timeout)
            implements CheckedSettings {

        /** Creates the settings of a target that is not configured. */
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
