package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.FallbackPolicy;
import io.rdmarpc.service.client.BalancingPolicy;
import io.rdmarpc.service.client.RetrySettings;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of calls to other processes.
 *
 * @param enabled Whether clients of the services found in the application's packages are made.
 * @param timeout Time a call may take where neither its target nor its method says.
 * @param connectAtStart Whether all targets are connected to when the application starts, which fails where one cannot be
 *     reached. When false, each at its first call.
 * @param sessionIdleTimeout Time without a call after which a session is closed; the next call opens another one. 0 keeps it.
 *     Targets with several instances keep a session to each.
 * @param fallback What a client does when its NIC does not reach a server: 'soft' takes the software RNIC, where the server
 *     offers one, and 'none' says so.
 * @param retry How calls of idempotent methods are made again where their method does not say.
 * @param reconnect How lost sessions come back.
 * @param balancing How targets with several instances are called.
 * @param discovery How instances are found in a registry.
 * @param targets Processes to call by name; 'default' is called unless @RdmaClient names another.
 * @param services Which target a service's client calls, by the service's name in brackets.
 */
public record RdmaClientProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("3s") @LongerThanZero Duration timeout,
        @DefaultValue("false") boolean connectAtStart,
        @DefaultValue("0s") Duration sessionIdleTimeout,
        @DefaultValue("none") FallbackPolicy fallback,
        @Valid @DefaultValue Retry retry,
        @Valid @DefaultValue Reconnect reconnect,
        @Valid @DefaultValue Balancing balancing,
        @Valid @DefaultValue Discovery discovery,
        @DefaultValue Map<String, @Valid Target> targets,
        @DefaultValue Map<String, @Valid Service> services) {

    /**
     * Copies targets and services.
     *
     * @param enabled whether clients are made
     * @param timeout time a call may take
     * @param connectAtStart whether targets are connected to at start
     * @param sessionIdleTimeout time without a call
     * @param fallback what a client does when its NIC does not reach a server
     * @param retry how calls are made again
     * @param reconnect how lost sessions come back
     * @param balancing how targets with several instances are called
     * @param discovery how instances are found
     * @param targets processes to call
     * @param services which target a service's client calls
     */
    public RdmaClientProperties {
        targets = Map.copyOf(targets);
        services = Map.copyOf(services);
    }

    /**
     * How calls of idempotent methods are made again where their method does not say.
     *
     * @param attempts How often a call is tried at most, the first time included.
     * @param backoff Pause before the second attempt; it doubles before each further one.
     * @param attemptTimeout Time that one attempt may take, so that a lost one can be tried again within the call's time. When
     *     not set, all that is left.
     */
    public record Retry(
            @DefaultValue("3") @Min(value = 1, message = "must be 1 or more: 3 suits most, 1 tries once")
            int attempts,

            @DefaultValue("20ms") @LongerThanZero Duration backoff,
            @LongerThanZero @Nullable Duration attemptTimeout) {

        RetrySettings settings() {
            return new RetrySettings(attempts, backoff, attemptTimeout);
        }
    }

    /**
     * How a service is called.
     *
     * @param target Name of the target that is called where no @RdmaClient names another.
     */
    public record Service(
            @NotBlank(message = "must be the name of one of rdma.client.targets")
            String target) {}

    /**
     * How lost sessions come back. Pauses double from the first to the longest one and vary by half.
     *
     * @param automatic Whether a lost session is replaced before the next call.
     * @param firstPause Pause after the first attempt that failed.
     * @param longestPause Longest pause between attempts.
     * @param giveUpAfter Time after which it is left to the next call.
     * @param shuffleAddresses Whether the addresses of a target are tried in random order instead of the order given.
     */
    public record Reconnect(
            @DefaultValue("true") boolean automatic,
            @DefaultValue("20ms") @LongerThanZero Duration firstPause,
            @DefaultValue("500ms") @LongerThanZero Duration longestPause,
            @DefaultValue("30s") Duration giveUpAfter,
            @DefaultValue("false") boolean shuffleAddresses) {}

    /**
     * How targets with several instances are called.
     *
     * @param probation Time that an instance which fails calls is left out at first; doubles up to 32 times of it.
     * @param timeouts Calls in a row that an instance may leave unanswered before it is left out.
     * @param drain Time that calls in flight may take after their instance was removed from the list.
     */
    public record Balancing(
            @DefaultValue("1s") @LongerThanZero Duration probation,

            @DefaultValue("5") @Min(value = 1, message = "must be 1 or more: 5 suits most")
            int timeouts,

            @DefaultValue("30s") @NotNegative Duration drain) {}

    /**
     * How instances are found in a registry.
     *
     * @param refresh Time between two looks at the registry, which is also looked at when it tells of a change, and when an
     *     instance does not answer.
     */
    public record Discovery(
            @DefaultValue("10s") @LongerThanZero Duration refresh) {}

    /**
     * A process to call, or several.
     *
     * @param address Host and control port as host:port, without a port 7471; several, divided by commas, for a service that
     *     several processes offer; or a service of a registry, as discovery:orders or lb://orders.
     * @param addresses The same as a list.
     * @param policy How calls are spread over several instances. When not set, those of a registry are called one after the
     *     other, and of a list the first that answers.
     * @param timeout Time a call may take where its method does not say.
     */
    public record Target(
            @NotBlank(message = "must be host:port, such as orders.example.com:7471") @Nullable
            String address,

            @DefaultValue List<String> addresses,
            @Nullable BalancingPolicy policy,
            @LongerThanZero @Nullable Duration timeout) {}
}
