package io.rdmarpc.autoconfigure;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
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
 * @param reconnect How lost sessions come back.
 * @param targets Processes to call by name; 'default' is called unless @RdmaClient names another.
 */
public record RdmaClientProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("3s") @LongerThanZero Duration timeout,
        @DefaultValue("false") boolean connectAtStart,
        @DefaultValue("0s") Duration sessionIdleTimeout,
        @Valid @DefaultValue Reconnect reconnect,
        @DefaultValue Map<String, @Valid Target> targets) {

    /**
     * Copies the targets.
     *
     * @param enabled whether clients are made
     * @param timeout time a call may take
     * @param connectAtStart whether targets are connected to at start
     * @param sessionIdleTimeout time without a call
     * @param reconnect how lost sessions come back
     * @param targets processes to call
     */
    public RdmaClientProperties {
        targets = Map.copyOf(targets);
    }

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
     * A process to call.
     *
     * @param address Host and control port as host:port, without a port 7471; several, divided by commas, for a service that
     *     several processes offer.
     * @param timeout Time a call may take where its method does not say.
     */
    public record Target(
            @NotBlank(message = "must be host:port, such as orders.example.com:7471") @Nullable
            String address,

            @LongerThanZero @Nullable Duration timeout) {}
}
