package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.service.client.BalancingPolicy;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of RDMA calls.
 *
 * @param enabled Whether RDMA is used at all: without it there are no clients and no server.
 * @param provider Verbs provider: 'auto' takes the first active RDMA port and else the software RNIC, 'ibverbs' and 'soft'
 *     insist on one.
 * @param device Name of the RDMA device, or 'auto' for the first with an active port.
 * @param port Number of the device's port, from 1.
 * @param gidIndex Index into the port's GID table. When not set, RoCE v2 with IPv4 is preferred.
 * @param mtu Path MTU: a power of two from 256B to 4096B. When not set, the port's active MTU.
 * @param soft Settings of the software RNIC.
 * @param ud Settings of the datagram transport, which carries messages that fit one packet.
 * @param rc Settings of the connected transport, which fetches larger messages by RDMA READ.
 * @param memory Settings of registered memory.
 * @param engine Settings of the engines and the threads that turn them.
 * @param polling Settings of the polling threads.
 * @param window Calls of one session in flight at a time, 1 to 64.
 * @param backlog Calls of one session that may wait for the window; one more is refused.
 * @param maxMessageSize Longest message that is sent and accepted. The smaller value of both sides counts.
 * @param retransmit Settings of retransmission.
 * @param heartbeat Settings of the heartbeats that find dead peers.
 * @param connectTimeout Time for a connection and its handshake.
 * @param client Settings of calls to other processes.
 * @param server Settings of offering services.
 * @param security Who may connect, as server and as client.
 */
@Validated
@ConfigurationProperties("rdma")
public record RdmaProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue("auto") @NotBlank(message = "must name a provider: use auto, ibverbs or soft")
        String provider,

        @DefaultValue("auto") @NotBlank(message = "must name a device: use auto for the first one")
        String device,

        @DefaultValue("1") @Min(value = 1, message = "must be 1 or more: ports of a device count from 1")
        int port,

        @Min(value = 0, message = "must be 0 or more: leave it out to choose by type") @Nullable
        Integer gidIndex,

        @ByteSize(
                min = 256,
                max = 4096,
                powerOfTwo = true,
                message = "must be a path MTU, a power of two from 256B to 4096B: use 256B, 512B, 1KB, 2KB or 4KB, or"
                        + " leave it out to take the port's")
        @Nullable
        DataSize mtu,

        @Valid @DefaultValue Soft soft,
        @Valid @DefaultValue Ud ud,
        @Valid @DefaultValue Rc rc,
        @Valid @DefaultValue Memory memory,
        @Valid @DefaultValue Engine engine,
        @Valid @DefaultValue Polling polling,

        @DefaultValue("8")
        @Min(value = 1, message = "must be 1 to 64: 8 suits most")
        @Max(value = 64, message = "must be 1 to 64: 8 suits most")
        int window,

        @DefaultValue("1024") @Min(value = 0, message = "must be 0 or more: 0 refuses calls beyond the window at once")
        int backlog,

        @DefaultValue("64MB")
        @ByteSize(
                min = 4096,
                max = 1L << 30,
                message = "must be 4KB to 1GB: it bounds the memory that one message of a peer can take")
        DataSize maxMessageSize,

        @Valid @DefaultValue Retransmit retransmit,
        @Valid @DefaultValue Heartbeat heartbeat,
        @DefaultValue("5s") @LongerThanZero Duration connectTimeout,
        @Valid @DefaultValue Client client,
        @Valid @DefaultValue Server server,
        @Valid @DefaultValue Security security) {

    /**
     * Settings of the software RNIC.
     *
     * @param addresses Own IPv4 addresses. When empty, those of all interfaces that are up.
     * @param port UDP port, 0 for any free one. When not set, the port of RoCE v2, 4791, or any free one where it is in use.
     * @param pcap File for all packets, to open in Wireshark; %p in it is the process id. All peers are reached by UDP then.
     * @param sharedMemory Peers on the same host.
     * @param faults Faults to make on purpose, to see how an application copes.
     */
    public record Soft(
            @DefaultValue List<String> addresses,

            @Min(value = 0, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
            @Max(value = 65535, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
            @Nullable
            Integer port,

            @Nullable String pcap,
            @Valid @DefaultValue SharedMemory sharedMemory,
            @Valid @DefaultValue Faults faults) {}

    /**
     * How software RNICs of one user on one host reach each other.
     *
     * @param enabled Whether software RNICs of one user on one host use shared memory. When false, UDP.
     * @param ringBytes Bytes of the ring to each peer, a power of two from 64 KiB to 256 MiB. When not set, 1 MiB.
     */
    public record SharedMemory(
            @DefaultValue("true") boolean enabled, @Nullable Integer ringBytes) {}

    /**
     * Faults of the software RNIC; each share is a number from 0 to 1, such as 0.01 for one packet in a hundred.
     *
     * @param loss Share of sent packets that are lost.
     * @param duplicate Share of sent packets that arrive twice.
     * @param reorder Share of sent packets that later ones overtake.
     * @param delay Share of sent packets that are delayed.
     * @param delayMicros Microseconds that delayed packets wait.
     * @param corrupt Share of sent packets of which a bit changes.
     * @param seed Number that decides which packets are hit.
     * @param script What happens to certain sent packets, such as "drop 3 ACK; delay 2 SEND 5ms".
     * @param bandwidth How much may be sent, in bits per second of UDP payload, such as 100Mbit.
     */
    public record Faults(
            @Nullable Double loss,
            @Nullable Double duplicate,
            @Nullable Double reorder,
            @Nullable Double delay,
            @Nullable Long delayMicros,
            @Nullable Double corrupt,
            @Nullable Long seed,
            @Nullable String script,
            @Nullable String bandwidth) {}

    /**
     * Settings of the datagram transport.
     *
     * @param sendDepth Datagrams posted and not yet complete.
     * @param receiveDepth Packets that can arrive before the engine looks. Each session owns one of these entries, the rest is lent to busy ones.
     * @param inlineSize Longest packet that is sent inline. When not set, what the device offers.
     * @param bundling Whether small messages to one peer that leave at the same time share a packet.
     * @param congestionControl Whether sessions slow down when their round trips grow, for networks where many send to one.
     */
    public record Ud(
            @DefaultValue("256") @Min(value = 1, message = "must be 1 or more: 256 suits most")
            int sendDepth,

            @DefaultValue("1024") @Min(value = 1, message = "must be 1 or more: 1024 suits most")
            int receiveDepth,

            @ByteSize(min = 0, max = 4096, message = "must be 0B to 4KB: leave it out to take what the device offers")
            @Nullable
            DataSize inlineSize,

            @DefaultValue("true") boolean bundling,
            @DefaultValue("false") boolean congestionControl) {}

    /**
     * Settings of the connected transport.
     *
     * @param sendDepth RDMA READs of one connection that may be posted.
     * @param maxReads RDMA READs of one connection outstanding at the NIC. The smaller value of both sides counts.
     * @param ackTimeout Exponent n of the acknowledge time-out, which is 4.096 us x 2^n: 1 to 31.
     * @param retryCount Retries before a connection gives up, 0 to 7.
     */
    public record Rc(
            @DefaultValue("64") @Min(value = 1, message = "must be 1 or more: 64 suits most")
            int sendDepth,

            @DefaultValue("16") @Min(value = 1, message = "must be 1 or more: 16 suits most")
            int maxReads,

            @DefaultValue("14")
            @Min(value = 1, message = "must be 1 to 31: 14 waits 67 ms")
            @Max(value = 31, message = "must be 1 to 31: 14 waits 67 ms")
            int ackTimeout,

            @DefaultValue("7")
            @Min(value = 0, message = "must be 0 to 7: 7 unless you must fail fast")
            @Max(value = 7, message = "must be 0 to 7: 7 unless you must fail fast")
            int retryCount) {}

    /**
     * Settings of registered memory.
     *
     * @param max Most memory that is registered.
     * @param chunkSize Memory that is registered at a time: a power of two.
     * @param lendingMax Most memory that one session may have lent to its peer.
     * @param hugePages Whether chunks come from huge pages as long as there are some, on RDMA devices.
     */
    public record Memory(
            @DefaultValue("1GB") @ByteSize(min = 1 << 20, max = Long.MAX_VALUE, message = "must be 1MB or more")
            DataSize max,

            @DefaultValue("16MB")
            @ByteSize(
                    min = 64 << 10,
                    max = 1 << 30,
                    powerOfTwo = true,
                    message = "must be a power of two from 64KB to 1GB: 16MB suits most")
            DataSize chunkSize,

            @DefaultValue("1GB")
            @ByteSize(
                    min = 64 << 10,
                    max = Long.MAX_VALUE,
                    message = "must be 64KB or more: a session lends at least one message")
            DataSize lendingMax,

            @DefaultValue("false") boolean hugePages) {}

    /**
     * Settings of the engines.
     *
     * @param threads Polling threads, each with an engine of its own; sessions are spread over them.
     * @param idle What a polling thread does without work: 'adaptive' polls for a while and then sleeps, 'busy' polls on,
     *     'event' sleeps at once.
     * @param cpus Processors that the polling threads are bound to, one after the other. When empty, any. Linux only.
     */
    public record Engine(
            @DefaultValue("1")
            @Min(value = 1, message = "must be 1 to 64: 1 suits most")
            @Max(value = 64, message = "must be 1 to 64: 1 suits most")
            int threads,

            @DefaultValue("adaptive") IdlePolicy idle,
            @DefaultValue List<Integer> cpus) {

        /**
         * Copies the list.
         *
         * @param threads polling threads
         * @param idle what they do without work
         * @param cpus processors they are bound to
         */
        public Engine {
            cpus = List.copyOf(cpus);
        }
    }

    /**
     * Settings of the polling threads.
     *
     * @param idleTurns Turns without work before the thread sleeps; in each it offers its core to other threads.
     * @param maxPark Longest sleep; a packet that arrives meanwhile waits as long.
     * @param threadName Name of the first thread. When not set, 'rdma-poll-' and the device.
     */
    public record Polling(
            @DefaultValue("5000") @Min(value = 0, message = "must be 0 or more: 0 sleeps at once")
            int idleTurns,

            @DefaultValue("1ms") @LongerThanZero Duration maxPark,
            @Nullable String threadName) {}

    /**
     * Settings of retransmission.
     *
     * @param timeout Time without an answer after which a request is sent again, before answers were timed; doubles each time.
     * @param minTimeout Floor of that time once answers were timed, however fast they are.
     * @param maxTimeout Ceiling of that time, however often the request was sent.
     * @param limit Times a request is sent without a sign of life before its session is given up.
     */
    public record Retransmit(
            @DefaultValue("20ms") @LongerThanZero Duration timeout,
            @DefaultValue("5ms") @LongerThanZero Duration minTimeout,
            @DefaultValue("200ms") @LongerThanZero Duration maxTimeout,

            @DefaultValue("30") @Min(value = 1, message = "must be 1 or more: 30 suits most")
            int limit) {}

    /**
     * Settings of heartbeats.
     *
     * @param interval Time between heartbeats.
     * @param timeout Silence after which a peer counts as dead.
     */
    public record Heartbeat(
            @DefaultValue("500ms") @LongerThanZero Duration interval,
            @DefaultValue("3s") @LongerThanZero Duration timeout) {}

    /**
     * Settings of calls to other processes.
     *
     * @param enabled Whether clients of the services found in the application's packages are made.
     * @param timeout Time a call may take where neither its target nor its method says.
     * @param sessionIdleTimeout Time without a call after which a session is closed; the next call opens another one. 0 keeps it.
     * @param reconnect How lost sessions come back.
     * @param balancing How targets with several instances are called.
     * @param discovery How instances are found in a registry.
     * @param targets Processes to call by name; 'default' is called unless @RdmaClient names another.
     */
    public record Client(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("3s") @LongerThanZero Duration timeout,
            @DefaultValue("0s") Duration sessionIdleTimeout,
            @Valid @DefaultValue Reconnect reconnect,
            @Valid @DefaultValue Balancing balancing,
            @Valid @DefaultValue Discovery discovery,
            @DefaultValue Map<String, @Valid Target> targets) {

        /**
         * Copies the targets.
         *
         * @param enabled whether clients are made
         * @param timeout time a call may take
         * @param sessionIdleTimeout time without a call
         * @param reconnect how lost sessions come back
         * @param balancing how targets with several instances are called
         * @param discovery how instances are found
         * @param targets processes to call
         */
        public Client {
            targets = Map.copyOf(targets);
        }
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
     * @param refresh Time between two looks at the registry. It is also looked at when it says that something has changed, and
     *     when an instance does not answer.
     */
    public record Discovery(@DefaultValue("10s") @LongerThanZero Duration refresh) {}

    /**
     * A process to call.
     *
     * @param address Host and control port as host:port, without a port 7471; several, divided by commas, for a service that
     *     several processes offer; or a service in a registry, as discovery:orders or lb://orders.
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

    /**
     * Settings of offering services.
     *
     * @param enabled Whether beans that implement a service are offered to other processes.
     * @param address Address to listen on. When not set, all of this host.
     * @param port Control port to listen on, 0 for any free one.
     * @param maxConcurrentCalls Calls that may be unanswered at a time; one more is refused.
     * @param maxQueueTime Time a call may wait for a thread; one that waited longer is refused. 0 allows any time.
     * @param maxSessions Sessions of clients at a time; one more is refused.
     * @param maxSessionsPerPeer Sessions of clients of one host.
     * @param maxPendingHandshakes Connections of clients that have not finished their handshake.
     * @param maxBytesPerPeer Memory that may be lent to clients of one host.
     * @param services Who may call a service, by its name in brackets. Everybody may call one that is not listed.
     * @param registration How the control port gets into a registry.
     * @param shutdown Settings of stopping.
     */
    public record Server(
            @DefaultValue("true") boolean enabled,
            @Nullable InetAddress address,

            @DefaultValue("" + DEFAULT_PORT)
            @Min(value = 0, message = "must be a TCP port, 0 to 65535: 0 takes any free one")
            @Max(value = 65535, message = "must be a TCP port, 0 to 65535: 0 takes any free one")
            int port,

            @DefaultValue("256") @Min(value = 1, message = "must be 1 or more: 256 suits most")
            int maxConcurrentCalls,

            @DefaultValue("0s") @NotNegative Duration maxQueueTime,

            @DefaultValue("16384")
            @Min(value = 1, message = "must be 1 to 65536: 16384 suits most")
            @Max(value = 65536, message = "must be 1 to 65536: 16384 suits most")
            int maxSessions,

            @DefaultValue("16384")
            @Min(value = 1, message = "must be 1 to 65536: leave it out to let one host take all")
            @Max(value = 65536, message = "must be 1 to 65536: leave it out to let one host take all")
            int maxSessionsPerPeer,

            @DefaultValue("1024")
            @Min(value = 1, message = "must be 1 to 65536: 1024 suits most")
            @Max(value = 65536, message = "must be 1 to 65536: 1024 suits most")
            int maxPendingHandshakes,

            @DefaultValue("1GB")
            @ByteSize(
                    min = 64 << 10,
                    max = Long.MAX_VALUE,
                    message = "must be 64KB or more: a session lends at least one message")
            DataSize maxBytesPerPeer,

            @DefaultValue Map<String, @Valid Service> services,
            @Valid @DefaultValue Registration registration,
            @Valid @DefaultValue Shutdown shutdown) {

        static final int DEFAULT_PORT = 7471;
    }

    /**
     * A service and who may call it.
     *
     * @param allow Peers that may call it, as their certificates describe them: CN=name, a whole subject, dns:, ip:, uri: or
     *     email: with a subject alternative name, or * for any that is trusted. Nobody when empty.
     */
    public record Service(@DefaultValue List<String> allow) {}

    /**
     * How the control port gets into a registry, where the application has one.
     *
     * @param enabled Whether the control port is published with the application's instance.
     * @param quietPeriod Time between leaving the registry and refusing calls, so that clients learn of it first.
     */
    public record Registration(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("500ms") @NotNegative Duration quietPeriod) {}

    /**
     * Settings of stopping a server.
     *
     * @param gracePeriod Time that calls in flight may take; 0 gives them none, a negative time waits for ever.
     */
    public record Shutdown(@DefaultValue("30s") Duration gracePeriod) {}

    /**
     * Who may connect, as server and as client. It guards the control connections, where sessions get their secrets.
     *
     * @param token Secret of at least 16 bytes that both sides must know. It is never sent. When not set, anybody may connect.
     * @param ssl Settings of TLS.
     */
    public record Security(
            @Nullable String token, @Valid @DefaultValue Ssl ssl) {

        /** Keeps the secret to itself. */
        @Override
        public String toString() {
            return "Security[token=" + (token == null ? "none" : "set") + ", ssl=" + ssl + "]";
        }
    }

    /**
     * TLS of the control connections.
     *
     * @param bundle Name of the SSL bundle with the own key and whom to trust. When not set, no TLS.
     * @param clientCertificates Whether a server takes only clients with a certificate that it trusts.
     * @param verifyHostName Whether a client takes only servers whose certificate is for the host it connects to.
     */
    public record Ssl(
            @Nullable String bundle,
            @DefaultValue("true") boolean clientCertificates,
            @DefaultValue("true") boolean verifyHostName) {}
}
