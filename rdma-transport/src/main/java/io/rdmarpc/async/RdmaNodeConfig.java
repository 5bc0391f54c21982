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
 * The settings of a node. Start from {@link #DEFAULTS}. Immutable.
 *
 * @param device the device to open
 * @param polling how completions are polled
 * @param callbacks the executor that completes futures, null for the polling thread
 * @param queues maximum numbers of posted and of waiting operations
 * @param connection queue pair settings; by default the access flags of each region determine the rights of peers
 * @param timeouts time limits
 */
public record RdmaNodeConfig(
        Device device,
        PollingMode polling,
        @Nullable Executor callbacks,
        Queues queues,
        ConnectionSettings connection,
        Timeouts timeouts) {

    /** Selects the GID by address and type. */
    public static final int AUTO_GID = PortGids.BY_TYPE;

    /** RNR NAKs request a delay of 82 ms, so that a peer has about 500 ms to post a receive (IBA 9.7.5.2.8). */
    private static final int RNR_TIMER_82_MS = 26;

    /**
     * The defaults: provider {@code auto} and timeouts of 5 s. A connection may have 128 posted sends, 128 posted
     * receives, and 1024 more of each that wait.
     */
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
     * The device to open.
     *
     * @param provider {@code auto}, {@code ibverbs} or {@code soft}; auto selects the first active RDMA port, otherwise
     *     soft
     * @param name the device name, or {@code auto}
     * @param port the device's port, from 1
     * @param gidIndex index into the port's GID table; {@value #AUTO_GID} selects the GID of the local address of the
     *     exchange, otherwise RoCE v2 with IPv4 first
     * @param options provider options by name, such as {@code soft.port}
     */
    public record Device(String provider, String name, int port, int gidIndex, Map<String, String> options) {

        private static final int MAX_PORT = 255;

        /**
         * Checks the port and copies the options.
         *
         * @param provider the provider
         * @param name the device name
         * @param port the port
         * @param gidIndex the GID index
         * @param options provider options
         */
        public Device {
            options = Map.copyOf(options);
            check("port", port, 1, MAX_PORT);
        }
    }

    /**
     * Maximum numbers of posted and of waiting operations.
     *
     * @param sendDepth maximum number of posted operations of a connection, without receives
     * @param receiveDepth maximum number of posted receives of a connection
     * @param backlog maximum number of waiting operations in each of the two queues; further operations are rejected
     * @param completions initial size of the completion queue; it grows with connections if the device supports that
     */
    public record Queues(int sendDepth, int receiveDepth, int backlog, int completions) {

        private static final int MAX = 1 << 20;

        /**
         * Checks the numbers.
         *
         * @param sendDepth posted operations
         * @param receiveDepth posted receives
         * @param backlog waiting operations
         * @param completions initial size of the completion queue
         */
        public Queues {
            check("send-depth", sendDepth, 1, MAX);
            check("receive-depth", receiveDepth, 1, MAX);
            check("backlog", backlog, 0, MAX);
            check("completions", completions, 1, Integer.MAX_VALUE);
        }
    }

    /**
     * Time limits.
     *
     * @param connect maximum time to establish a connection, on both sides
     * @param close maximum time to wait for the operations of a connection that ends
     */
    public record Timeouts(Duration connect, Duration close) {

        private static final Duration MAX = Duration.ofDays(365);

        /**
         * Checks the times.
         *
         * @param connect limit for establishing a connection
         * @param close limit for ending a connection
         */
        public Timeouts {
            check("connect-timeout", connect);
            check("close-timeout", close);
        }

        private static void check(String setting, Duration value) {
            if (value.isNegative() || value.isZero() || value.compareTo(MAX) > 0) {
                throw new RdmaConfigurationException(
                        setting,
                        value,
                        "it must be positive and at most 365 days",
                        "Use 5 s unless you need another value");
            }
        }
    }

    private static void check(String setting, int value, int min, int max) {
        if (value < min || value > max) {
            throw new RdmaConfigurationException(
                    setting, value, "it must be " + min + " to " + max, "Use a number in that range");
        }
    }

    /**
     * Changes the provider and its options.
     *
     * @param provider the provider
     * @param options its options
     * @return the changed copy
     */
    public RdmaNodeConfig withProvider(String provider, Map<String, String> options) {
        return with(new Device(provider, device.name(), device.port(), device.gidIndex(), options));
    }

    /**
     * Changes the device, port and GID.
     *
     * @param name the device name
     * @param port the port
     * @param gidIndex the GID index, or {@value #AUTO_GID}
     * @return the changed copy
     */
    public RdmaNodeConfig withDevice(String name, int port, int gidIndex) {
        return with(new Device(device.provider(), name, port, gidIndex, device.options()));
    }

    private RdmaNodeConfig with(Device changed) {
        return new RdmaNodeConfig(changed, polling, callbacks, queues, connection, timeouts);
    }

    /**
     * Changes how completions are polled, and where futures complete.
     *
     * @param newPolling the polling mode
     * @param newCallbacks the executor that completes futures, null for the thread that polls
     * @return the changed copy
     */
    public RdmaNodeConfig withPolling(PollingMode newPolling, @Nullable Executor newCallbacks) {
        return new RdmaNodeConfig(device, newPolling, newCallbacks, queues, connection, timeouts);
    }

    /**
     * Changes the queue sizes.
     *
     * @param sendDepth maximum number of posted operations of a connection, without receives
     * @param receiveDepth maximum number of posted receives of a connection
     * @param backlog operations that may wait in each of the two queues
     * @param completions initial size of the completion queue
     * @return the changed copy
     */
    public RdmaNodeConfig withQueues(int sendDepth, int receiveDepth, int backlog, int completions) {
        Queues changed = new Queues(sendDepth, receiveDepth, backlog, completions);
        return new RdmaNodeConfig(device, polling, callbacks, changed, connection, timeouts);
    }

    /**
     * Changes the queue pair settings.
     *
     * @param settings the settings
     * @return the changed copy
     */
    public RdmaNodeConfig withConnection(ConnectionSettings settings) {
        return new RdmaNodeConfig(device, polling, callbacks, queues, settings, timeouts);
    }

    /**
     * Changes the time limits.
     *
     * @param connect limit for establishing a connection
     * @param close limit for ending a connection
     * @return the changed copy
     */
    public RdmaNodeConfig withTimeouts(Duration connect, Duration close) {
        return new RdmaNodeConfig(device, polling, callbacks, queues, connection, new Timeouts(connect, close));
    }
}
