package io.rdmarpc.async;

import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a node is opened. Start from {@link #DEFAULTS}. Immutable.
 *
 * @param device which device
 * @param polling who takes completions
 * @param callbacks where futures complete, null for the polling thread
 * @param queues how many operations at a time
 * @param connection how queue pairs behave; by default peers may do what the rights of each region allow
 * @param timeouts how long things may take
 */
public record RdmaNodeConfig(
        Device device,
        PollingMode polling,
        @Nullable Executor callbacks,
        Queues queues,
        ConnectionSettings connection,
        Timeouts timeouts) {

    /** Choose the GID by address and type. */
    public static final int AUTO_GID = PortGids.BY_TYPE;

    /** A peer without a receive asks for delays of 82 ms, so that one that calls receive late has half a second. */
    private static final int RNR_TIMER_82_MS = 26;

    /** The best device there is, 128 sends and 128 receives at the device, 1024 more of each waiting, 5 s time-outs. */
    public static final RdmaNodeConfig DEFAULTS = new RdmaNodeConfig(
            new Device(VerbsProviders.AUTO, VerbsProviders.AUTO, 1, AUTO_GID, Map.of()),
            PollingMode.AUTO,
            null,
            new Queues(128, 128, 1024, 4096),
            patient(ConnectionSettings.DEFAULTS),
            new Timeouts(Duration.ofSeconds(5), Duration.ofSeconds(5)));

    private static ConnectionSettings patient(ConnectionSettings settings) {
        ConnectionSettings.Retries retries = settings.retries();
        return settings.withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .withRetries(new ConnectionSettings.Retries(
                        retries.timeout(), retries.retryCount(), retries.rnrRetry(), RNR_TIMER_82_MS));
    }

    /**
     * Which device.
     *
     * @param provider {@code auto}, {@code ibverbs} or {@code soft}; auto takes the first active RDMA port, else soft
     * @param name a device's name, or {@code auto}
     * @param port the device's port, from 1
     * @param gidIndex index into the port's GID table, {@value #AUTO_GID} to choose: that of the own address of the
     *     exchange, else RoCE v2 with IPv4 first
     * @param options provider options by name, such as {@code soft.port}
     */
    public record Device(String provider, String name, int port, int gidIndex, Map<String, String> options) {

        private static final int MOST_PORTS = 255;

        /**
         * Checks the port and copies the options.
         *
         * @param provider which provider
         * @param name which device
         * @param port which port
         * @param gidIndex which GID
         * @param options provider options
         */
        public Device {
            options = Map.copyOf(options);
            check("port", port, 1, MOST_PORTS);
        }
    }

    /**
     * How many operations at a time.
     *
     * @param sendDepth operations of a connection at the device, receives not counted
     * @param receiveDepth receives of a connection at the device
     * @param backlog operations that wait for a place in each of the two queues; one more is refused
     * @param completions size of the completion queue at first; it grows with connections where the device can do that
     */
    public record Queues(int sendDepth, int receiveDepth, int backlog, int completions) {

        private static final int MOST = 1 << 20;

        /**
         * Checks the numbers.
         *
         * @param sendDepth operations at the device
         * @param receiveDepth receives at the device
         * @param backlog operations that wait
         * @param completions size of the completion queue at first
         */
        public Queues {
            check("send-depth", sendDepth, 1, MOST);
            check("receive-depth", receiveDepth, 1, MOST);
            check("backlog", backlog, 0, MOST);
            check("completions", completions, 1, Integer.MAX_VALUE);
        }
    }

    /**
     * How long things may take.
     *
     * @param connect longest time to set up a connection, on both sides
     * @param close longest time to wait for the operations of a connection that ends
     */
    public record Timeouts(Duration connect, Duration close) {

        private static final Duration MOST = Duration.ofDays(365);

        /**
         * Checks the times.
         *
         * @param connect for connections to come
         * @param close for connections to end
         */
        public Timeouts {
            check("connect-timeout", connect);
            check("close-timeout", close);
        }

        private static void check(String setting, Duration value) {
            if (value.isNegative() || value.isZero() || value.compareTo(MOST) > 0) {
                throw new RdmaConfigurationException(
                        setting, value, "it must be over 0 and at most a year", "Use 5 s unless you know better");
            }
        }
    }

    private static void check(String setting, int value, int least, int most) {
        if (value < least || value > most) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + least + " to " + most, "Use a number in that range");
        }
    }

    /**
     * Changes the provider and its options.
     *
     * @param provider which provider
     * @param options its options
     * @return the changed copy
     */
    public RdmaNodeConfig withProvider(String provider, Map<String, String> options) {
        return with(new Device(provider, device.name(), device.port(), device.gidIndex(), options));
    }

    /**
     * Changes device, port and GID.
     *
     * @param name which device
     * @param port which port
     * @param gidIndex which GID, or {@value #AUTO_GID}
     * @return the changed copy
     */
    public RdmaNodeConfig withDevice(String name, int port, int gidIndex) {
        return with(new Device(device.provider(), name, port, gidIndex, device.options()));
    }

    private RdmaNodeConfig with(Device changed) {
        return new RdmaNodeConfig(changed, polling, callbacks, queues, connection, timeouts);
    }

    /**
     * Changes who takes completions, and where futures complete.
     *
     * @param newPolling who
     * @param newCallbacks where, null for the thread that takes completions
     * @return the changed copy
     */
    public RdmaNodeConfig withPolling(PollingMode newPolling, @Nullable Executor newCallbacks) {
        return new RdmaNodeConfig(device, newPolling, newCallbacks, queues, connection, timeouts);
    }

    /**
     * Changes the queues.
     *
     * @param sendDepth operations of a connection at the device
     * @param receiveDepth receives of a connection at the device
     * @param backlog operations that wait for each of them
     * @param completions size of the completion queue at first
     * @return the changed copy
     */
    public RdmaNodeConfig withQueues(int sendDepth, int receiveDepth, int backlog, int completions) {
        Queues changed = new Queues(sendDepth, receiveDepth, backlog, completions);
        return new RdmaNodeConfig(device, polling, callbacks, changed, connection, timeouts);
    }

    /**
     * Changes how queue pairs behave.
     *
     * @param settings how
     * @return the changed copy
     */
    public RdmaNodeConfig withConnection(ConnectionSettings settings) {
        return new RdmaNodeConfig(device, polling, callbacks, queues, settings, timeouts);
    }

    /**
     * Changes how long things may take.
     *
     * @param connect for connections to come
     * @param close for connections to end
     * @return the changed copy
     */
    public RdmaNodeConfig withTimeouts(Duration connect, Duration close) {
        return new RdmaNodeConfig(device, polling, callbacks, queues, connection, new Timeouts(connect, close));
    }
}
