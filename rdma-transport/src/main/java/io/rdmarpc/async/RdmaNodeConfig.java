package io.rdmarpc.async;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.ConnectionSettings;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.VerbsProviders;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a node is opened. Start from {@link #DEFAULTS}.
 *
 * @param provider {@code auto}, {@code ibverbs} or {@code soft}; auto takes the first active RDMA port, else soft
 * @param device a device's name, or {@code auto}
 * @param port the device's port, from 1
 * @param gidIndex index into the port's GID table, {@value #AUTO_GID} to choose: that of the own address of the exchange,
 *     else RoCE v2 with IPv4 first
 * @param options provider options by name, such as {@code soft.port}
 * @param polling who takes completions
 * @param callbacks where futures complete, null for the polling thread
 * @param sendDepth operations of a connection at the device, receives not counted
 * @param receiveDepth receives of a connection at the device
 * @param backlog operations that wait for a place in each of the two queues; one more is refused
 * @param completions size of the completion queue at first; it grows with connections where the device can do that
 * @param connection how queue pairs behave; by default peers may do what the rights of each region allow
 * @param connectTimeout longest time to set up a connection, on both sides
 * @param closeTimeout longest time to wait for the operations of a connection that ends
 */
public record RdmaNodeConfig(
        String provider,
        String device,
        int port,
        int gidIndex,
        Map<String, String> options,
        PollingMode polling,
        @Nullable Executor callbacks,
        int sendDepth,
        int receiveDepth,
        int backlog,
        int completions,
        ConnectionSettings connection,
        Duration connectTimeout,
        Duration closeTimeout) {

    /** Choose the GID by address and type. */
    public static final int AUTO_GID = -1;

    /** A peer without a receive asks for delays of 82 ms, so that one that calls receive late has half a second. */
    private static final int RNR_TIMER_82_MS = 26;

    private static final ConnectionSettings PATIENT = new ConnectionSettings(
            Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC),
            ConnectionSettings.DEFAULTS.pathMtu(),
            ConnectionSettings.DEFAULTS.maxReadsAsInitiator(),
            ConnectionSettings.DEFAULTS.maxReadsAsResponder(),
            ConnectionSettings.DEFAULTS.timeout(),
            ConnectionSettings.DEFAULTS.retryCount(),
            ConnectionSettings.DEFAULTS.rnrRetry(),
            RNR_TIMER_82_MS,
            ConnectionSettings.DEFAULTS.pkeyIndex(),
            ConnectionSettings.DEFAULTS.serviceLevel(),
            ConnectionSettings.DEFAULTS.trafficClass(),
            ConnectionSettings.DEFAULTS.hopLimit(),
            ConnectionSettings.DEFAULTS.firstPsn());

    /** The best device there is, 128 sends and 128 receives at the device, 1024 more of each waiting, 5 s time-outs. */
    public static final RdmaNodeConfig DEFAULTS = new RdmaNodeConfig(
            VerbsProviders.AUTO,
            VerbsProviders.AUTO,
            1,
            AUTO_GID,
            Map.of(),
            PollingMode.AUTO,
            null,
            128,
            128,
            1024,
            4096,
            PATIENT,
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));

    private static final int MOST = 1 << 20;

    /**
     * Checks the numbers and copies the options.
     *
     * @param provider which provider
     * @param device which device
     * @param port which port
     * @param gidIndex which GID
     * @param options provider options
     * @param polling who takes completions
     * @param callbacks where futures complete
     * @param sendDepth operations at the device
     * @param receiveDepth receives at the device
     * @param backlog operations that wait
     * @param completions size of the completion queue at first
     * @param connection how queue pairs behave; by default peers may do what the rights of each region allow
     * @param connectTimeout for connections to come
     * @param closeTimeout for connections to end
     */
    public RdmaNodeConfig {
        options = Map.copyOf(options);
        check("port", port, 1, 255);
        check("send-depth", sendDepth, 1, MOST);
        check("receive-depth", receiveDepth, 1, MOST);
        check("backlog", backlog, 0, MOST);
        check("completions", completions, 1, Integer.MAX_VALUE);
        checkPositive("connect-timeout", connectTimeout);
        checkPositive("close-timeout", closeTimeout);
    }

    private static void check(String setting, int value, int least, int most) {
        if (value < least || value > most) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + least + " to " + most, "Use a number in that range");
        }
    }

    private static void checkPositive(String setting, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new RdmaConfigurationException(setting, value, "it must be over 0", "Use 5 s unless you know better");
        }
    }

    /**
     * Changes the provider and its options.
     *
     * @param newProvider which provider
     * @param newOptions its options
     * @return the changed copy
     */
    public RdmaNodeConfig withProvider(String newProvider, Map<String, String> newOptions) {
        return new RdmaNodeConfig(
                newProvider,
                device,
                port,
                gidIndex,
                newOptions,
                polling,
                callbacks,
                sendDepth,
                receiveDepth,
                backlog,
                completions,
                connection,
                connectTimeout,
                closeTimeout);
    }

    /**
     * Changes device, port and GID.
     *
     * @param newDevice which device
     * @param newPort which port
     * @param newGidIndex which GID, or {@value #AUTO_GID}
     * @return the changed copy
     */
    public RdmaNodeConfig withDevice(String newDevice, int newPort, int newGidIndex) {
        return new RdmaNodeConfig(
                provider,
                newDevice,
                newPort,
                newGidIndex,
                options,
                polling,
                callbacks,
                sendDepth,
                receiveDepth,
                backlog,
                completions,
                connection,
                connectTimeout,
                closeTimeout);
    }

    /**
     * Changes who takes completions, and where futures complete.
     *
     * @param newPolling who
     * @param newCallbacks where, null for the thread that takes completions
     * @return the changed copy
     */
    public RdmaNodeConfig withPolling(PollingMode newPolling, @Nullable Executor newCallbacks) {
        return new RdmaNodeConfig(
                provider,
                device,
                port,
                gidIndex,
                options,
                newPolling,
                newCallbacks,
                sendDepth,
                receiveDepth,
                backlog,
                completions,
                connection,
                connectTimeout,
                closeTimeout);
    }

    /**
     * Changes the queues.
     *
     * @param newSendDepth operations of a connection at the device
     * @param newReceiveDepth receives of a connection at the device
     * @param newBacklog operations that wait for each of them
     * @param newCompletions size of the completion queue at first
     * @return the changed copy
     */
    public RdmaNodeConfig withQueues(int newSendDepth, int newReceiveDepth, int newBacklog, int newCompletions) {
        return new RdmaNodeConfig(
                provider,
                device,
                port,
                gidIndex,
                options,
                polling,
                callbacks,
                newSendDepth,
                newReceiveDepth,
                newBacklog,
                newCompletions,
                connection,
                connectTimeout,
                closeTimeout);
    }

    /**
     * Changes how queue pairs behave and how long things may take.
     *
     * @param newConnection how queue pairs behave
     * @param newConnectTimeout for connections to come
     * @param newCloseTimeout for connections to end
     * @return the changed copy
     */
    public RdmaNodeConfig withTimeouts(
            ConnectionSettings newConnection, Duration newConnectTimeout, Duration newCloseTimeout) {
        return new RdmaNodeConfig(
                provider,
                device,
                port,
                gidIndex,
                options,
                polling,
                callbacks,
                sendDepth,
                receiveDepth,
                backlog,
                completions,
                newConnection,
                newConnectTimeout,
                newCloseTimeout);
    }
}
