package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.IdlePolicy;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of RDMA calls.
 *
 * @param enabled Whether RDMA is used at all: without it there are no clients and no server.
 * @param profile Defaults of a group of settings for a purpose: 'latency', 'throughput', 'low-cpu', or 'balanced', which changes
 *     nothing. A setting that is given wins.
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
 * @param polling Settings of the polling threads, which turn the engines.
 * @param window Calls of one session in flight at a time, 1 to 64.
 * @param backlog Calls of one session that may wait for the window; one more is refused.
 * @param maxMessageSize Longest message that is sent and accepted. The smaller value of both sides counts.
 * @param retransmit Settings of retransmission.
 * @param heartbeat Settings of the heartbeats that find dead peers.
 * @param connectTimeout Time for a connection and its handshake.
 * @param client Settings of calls to other processes.
 * @param server Settings of offering services.
 * @param security Who may connect, as server and as client.
 * @param observation How calls are measured and traced.
 * @param health Settings of the health indicator.
 * @param serialization How arguments and results become bytes.
 */
@Validated
@ConfigurationProperties("rdma")
public record RdmaProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("balanced") RdmaProfile profile,

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

        @Valid @DefaultValue @NestedConfigurationProperty RdmaSoftProperties soft,
        @Valid @DefaultValue Ud ud,
        @Valid @DefaultValue Rc rc,
        @Valid @DefaultValue Memory memory,
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
        @Valid @DefaultValue @NestedConfigurationProperty RdmaClientProperties client,
        @Valid @DefaultValue @NestedConfigurationProperty RdmaServerProperties server,
        @Valid @DefaultValue @NestedConfigurationProperty RdmaSecurityProperties security,
        @Valid @DefaultValue Observation observation,
        @Valid @DefaultValue Health health,
        @Valid @DefaultValue @NestedConfigurationProperty RdmaSerializationProperties serialization) {

    /**
     * Settings of the datagram transport.
     *
     * @param sendDepth Datagrams posted and not yet complete.
     * @param receiveDepth Packets that can arrive before the engine looks. Each session owns one of these entries, the rest is lent to busy ones.
     * @param inlineSize Longest packet that is sent inline. When not set, what the device offers.
     * @param pollBatch Completions taken from the device at a time.
     * @param postBatch Packets handed to the device with one call.
     * @param bundling Whether small messages to one peer that leave at the same time share a packet.
     * @param congestionControl Whether sessions slow down when their round trips grow, for networks where many send to one. To be set at both ends: a server then says how long its methods took, which else counts as the network's time. Streams are not slowed down.
     */
    public record Ud(
            @DefaultValue("256") @Min(value = 1, message = "must be 1 or more: 256 suits most")
            int sendDepth,

            @DefaultValue("1024") @Min(value = 1, message = "must be 1 or more: 1024 suits most")
            int receiveDepth,

            @ByteSize(min = 0, max = 4096, message = "must be 0B to 4KB: leave it out to take what the device offers")
            @Nullable
            DataSize inlineSize,

            @DefaultValue("16")
            @Min(value = 1, message = "must be 1 to 256: 16 suits most")
            @Max(value = 256, message = "must be 1 to 256: 16 suits most")
            int pollBatch,

            @DefaultValue("16")
            @Min(value = 1, message = "must be 1 to 256: 16 suits most")
            @Max(value = 256, message = "must be 1 to 256: 16 suits most")
            int postBatch,

            @DefaultValue("true") boolean bundling,
            @DefaultValue("false") boolean congestionControl) {}

    /**
     * Settings of the connected transport.
     *
     * @param sendDepth RDMA READs of one connection that may be posted.
     * @param maxReads RDMA READs of one connection outstanding at the NIC. The smaller value of both sides counts.
     * @param readBudget RDMA READs of the NIC in flight, over all polling threads and connections; long ones are split and take turns.
     * @param ackTimeout Exponent n of the acknowledge time-out, which is 4.096 us x 2^n: 1 to 31.
     * @param retryCount Retries before a connection gives up, 0 to 7.
     */
    public record Rc(
            @DefaultValue("64") @Min(value = 1, message = "must be 1 or more: 64 suits most")
            int sendDepth,

            @DefaultValue("16") @Min(value = 1, message = "must be 1 or more: 16 suits most")
            int maxReads,

            @DefaultValue("64")
            @Min(value = 1, message = "must be 1 to 4096: 64 suits most")
            @Max(value = 4096, message = "must be 1 to 4096: 64 suits most")
            int readBudget,

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
     * Settings of the polling threads.
     *
     * @param threads Polling threads, each with an engine of its own; sessions are spread over them.
     * @param idle What a polling thread does without work: 'adaptive' polls for a while and then sleeps, 'busy' polls on,
     *     'event' sleeps at once.
     * @param idleTurns Turns without work before an adaptive thread sleeps; in most it offers its core to other threads.
     * @param maxPark Longest sleep while something is due; a packet that arrives meanwhile waits as long where the device
     *     has no completion channels.
     * @param cpus Processors that the polling threads are bound to, one after the other. When empty, any. Linux only.
     * @param threadName Name of the first thread. When not set, 'rdma-poll-' and the device.
     */
    public record Polling(
            @DefaultValue("1")
            @Min(value = 1, message = "must be 1 to 64: 1 suits most")
            @Max(value = 64, message = "must be 1 to 64: 1 suits most")
            int threads,

            @DefaultValue("adaptive") IdlePolicy idle,

            @DefaultValue("5000") @Min(value = 0, message = "must be 0 or more: 0 sleeps at once")
            int idleTurns,

            @DefaultValue("1ms") @LongerThanZero Duration maxPark,
            @DefaultValue List<Integer> cpus,
            @Nullable String threadName) {

        /**
         * Copies the list.
         *
         * @param threads polling threads
         * @param idle what they do without work
         * @param idleTurns turns without work before one sleeps
         * @param maxPark longest sleep
         * @param cpus processors they are bound to
         * @param threadName name of the first
         */
        public Polling {
            cpus = List.copyOf(cpus);
        }
    }

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
     * How calls are measured and traced.
     *
     * @param mode What hears of each call: 'auto' is 'observation' where there is a tracer or a handler of the application, and
     *     else 'timer', which costs little; 'none' is neither.
     */
    public record Observation(@DefaultValue("auto") Mode mode) {

        /** What hears of each call. */
        public enum Mode {
            /** {@link #OBSERVATION} where a tracer or a handler of the application asks for it, else {@link #TIMER}. */
            AUTO,
            /** Micrometer's Observation API: timers, traces and whatever else handles observations. */
            OBSERVATION,
            /** Timers only, by the same names and tags. */
            TIMER,
            /** Nothing. */
            NONE
        }
    }

    /**
     * Settings of the health indicator.
     *
     * @param stuckAfter Time without a turn of a polling thread after which it counts as stuck.
     */
    public record Health(@DefaultValue("5s") @LongerThanZero Duration stuckAfter) {}
}
