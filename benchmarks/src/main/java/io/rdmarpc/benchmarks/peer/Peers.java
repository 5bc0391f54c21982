package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Supervisor;
import io.rdmarpc.benchmarks.peer.SpringContestant.Dispatch;
import io.rdmarpc.benchmarks.peer.SpringContestant.Ends;
import io.rdmarpc.benchmarks.peer.SpringContestant.Sessions;
import io.rdmarpc.benchmarks.verbs.VerbsPingPong;
import java.util.function.Supplier;

/** All libraries and configurations that are measured. Texts are their names in tables. */
@SuppressWarnings("ImmutableEnumChecker") // what makes them has no state
public enum Peers {
    /** Verbs on the software RNIC alone. */
    VERBS("verbs, UD ping-pong", VerbsPingPong::new),
    /** Our engine, message buffers filled and read in place. */
    ENGINE_BUFFERS("engine, message buffers", () -> new EngineContestant(BenchmarkLink.SHARED_MEMORY, false, true)),
    /** Our engine with a {@code byte[]} at both ends. */
    ENGINE_ARRAYS("engine, byte[]", () -> new EngineContestant(BenchmarkLink.SHARED_MEMORY, true, true)),
    /** Our engine over UDP. */
    ENGINE_UDP("engine over UDP, message buffers", () -> new EngineContestant(BenchmarkLink.UDP, false, true)),
    /** The same, one message to a packet. */
    ENGINE_UDP_SINGLE(
            "engine over UDP, message buffers, no bundling",
            () -> new EngineContestant(BenchmarkLink.UDP, false, false)),
    /** Our service through Spring, methods on the polling thread. */
    SPRING_INLINE(
            "@RdmaService, inline",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.INLINE,
                    OrderCodec.GENERATED,
                    Ends.POLLING_THREAD,
                    Sessions.ONE)),
    /** The same, and the client's thread turns the engine. */
    SPRING_TURNED(
            "@RdmaService, inline, turned by the caller",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY, Dispatch.INLINE, OrderCodec.GENERATED, Ends.CALLER, Sessions.ONE)),
    /** The same, methods on virtual threads, futures completed on virtual threads. */
    SPRING_VIRTUAL(
            "@RdmaService, virtual threads",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.VIRTUAL,
                    OrderCodec.GENERATED,
                    Ends.VIRTUAL_THREADS,
                    Sessions.ONE)),
    /** With Kryo's own record serializers. */
    SPRING_STOCK(
            "@RdmaService, inline, stock Kryo",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY, Dispatch.INLINE, OrderCodec.STOCK, Ends.POLLING_THREAD, Sessions.ONE)),
    /** With serializers written by hand. */
    SPRING_BY_HAND(
            "@RdmaService, inline, hand-written",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.INLINE,
                    OrderCodec.BY_HAND,
                    Ends.POLLING_THREAD,
                    Sessions.ONE)),
    /** Over UDP. */
    SPRING_UDP(
            "@RdmaService over UDP, inline",
            () -> new SpringContestant(
                    BenchmarkLink.UDP, Dispatch.INLINE, OrderCodec.GENERATED, Ends.POLLING_THREAD, Sessions.ONE)),
    /** With many sessions, to be idle. */
    SPRING_100_SESSIONS(
            "@RdmaService, 100 sessions",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.VIRTUAL,
                    OrderCodec.GENERATED,
                    Ends.VIRTUAL_THREADS,
                    Sessions.HUNDRED)),
    /** As an application has it that sets nothing. */
    SPRING_DEFAULTS("@RdmaService, defaults", () -> SpringContestant.set(Sessions.ONE)),
    /** With a wide window. */
    SPRING_WINDOW(
            "@RdmaService, window of 64", () -> SpringContestant.set(Sessions.ONE, "rdma.client.max-in-flight=64")),
    /** With what the profile for many calls sets. */
    SPRING_THROUGHPUT(
            "@RdmaService, preset throughput", () -> SpringContestant.set(Sessions.ONE, "rdma.preset=throughput")),
    /** With polling threads that never sleep. */
    SPRING_BUSY("@RdmaService, busy", () -> SpringContestant.set(Sessions.ONE, "rdma.polling.idle-strategy=busy")),
    /** With polling threads that sleep soon. */
    SPRING_FEW_TURNS(
            "@RdmaService, 500 idle spins", () -> SpringContestant.set(Sessions.ONE, "rdma.polling.idle-spins=500")),
    /** With two sessions, which one polling thread of each side has. */
    SPRING_TWO_SESSIONS("@RdmaService, two sessions", () -> SpringContestant.set(Sessions.TWO)),
    /** With a polling thread for each of two sessions. */
    SPRING_TWO_THREADS(
            "@RdmaService, two sessions, two polling threads",
            () -> SpringContestant.set(Sessions.TWO, "rdma.polling.threads=2")),
    /** The same applications without the starter, to be idle. */
    SPRING_ALONE("the applications without the starter", SpringAloneContestant::new),
    /** gRPC with direct executors. */
    GRPC_ASYNC("gRPC over TCP, direct executor", () -> new GrpcContestant(false, true)),
    /** gRPC with its default executors. */
    GRPC_BLOCKING("gRPC over TCP", () -> new GrpcContestant(false, false)),
    /** gRPC over a Unix socket. */
    GRPC_UNIX("gRPC over a Unix socket, direct executor", () -> new GrpcContestant(true, true)),
    /** Aeron through shared memory, orders by stock Kryo. */
    AERON_IPC("Aeron IPC, stock Kryo", () -> new AeronContestant(AeronMedia.IPC, OrderCodec.STOCK)),
    /** The same with serializers written by hand. */
    AERON_IPC_BY_HAND("Aeron IPC, hand-written", () -> new AeronContestant(AeronMedia.IPC, OrderCodec.BY_HAND)),
    /** Aeron over UDP. */
    AERON_UDP("Aeron UDP, stock Kryo", () -> new AeronContestant(AeronMedia.UDP, OrderCodec.STOCK)),
    /** The same with serializers written by hand. */
    AERON_UDP_BY_HAND("Aeron UDP, hand-written", () -> new AeronContestant(AeronMedia.UDP, OrderCodec.BY_HAND)),
    /** Aeron over UDP in datagrams of 8 KiB. */
    AERON_UDP_8K("Aeron UDP, MTU 8 KiB", () -> new AeronContestant(AeronMedia.UDP_8K, OrderCodec.STOCK)),
    /** Kryo over a TCP connection. */
    KRYO_TCP("Kryo over TCP", KryoTcpContestant::new),
    /** RSocket. */
    RSOCKET("RSocket over TCP", RSocketContestant::new),
    /** Spring's HTTP interface client as it is. */
    HTTP("Spring HTTP interface", () -> new HttpContestant(false)),
    /** The same with another client library and virtual threads. */
    HTTP_TUNED("Spring HTTP interface, HttpComponents, virtual threads", () -> new HttpContestant(true));

    private final String text;
    private final Supplier<Contestant> contestant;

    Peers(String text, Supplier<Contestant> contestant) {
        this.text = text;
        this.contestant = contestant;
    }

    @Override
    public String toString() {
        return text;
    }

    /**
     * Makes what calls are made with.
     *
     * @return for a server or a client of its own process
     */
    public Contestant contestant() {
        return contestant.get();
    }

    /**
     * Tells how calls are made.
     *
     * @param payload what travels
     * @param callers kind of the calling threads
     * @return API, dispatch, and polling threads
     */
    public CallMode mode(Payload payload, Callers callers) {
        return contestant.get().mode(payload, callers);
    }

    /**
     * Tells whether it can be measured with something.
     *
     * @param payload what travels
     * @return false for orders where only bytes travel, and for what is longer than a packet where only packets do
     */
    public boolean carries(Payload payload) {
        return switch (this) {
            case VERBS -> !payload.isOrder() && payload.bytes() <= VerbsPingPong.MOST_BYTES;
            case SPRING_ALONE -> payload.isOrder();
            default -> !payload.isOrder() || !name().startsWith("ENGINE");
        };
    }

    /**
     * Tells whether calls can be begun without waiting for them.
     *
     * @return false for the HTTP clients, which block, for a ping-pong, and without a service
     */
    public boolean isAsynchronous() {
        return this != HTTP && this != HTTP_TUNED && this != VERBS && this != SPRING_ALONE;
    }

    /**
     * Is a server or a client, as {@link io.rdmarpc.benchmarks.load.Pair} starts them.
     *
     * @param arguments {@code serve NAME} or {@code call NAME ADDRESS}
     * @throws Exception when that fails
     */
    public static void main(String... arguments) throws Exception {
        Contestant contestant = valueOf(arguments[1]).contestant.get();
        int status = 0;
        try {
            if (arguments[0].equals("serve")) {
                new Supervisor().serve(contestant);
            } else {
                new Supervisor().call(contestant, arguments[2]);
            }
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        // Threads of libraries may be left.
        Runtime.getRuntime().halt(status);
    }
}
