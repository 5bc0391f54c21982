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

/** All measured libraries and configurations. The texts are their names in tables. */
@SuppressWarnings("ImmutableEnumChecker") // the factories are stateless
public enum Peers {
    /** Verbs on the software RNIC alone. */
    VERBS("verbs, UD ping-pong", VerbsPingPong::new),
    /** This project's engine, with message buffers filled and read in place. */
    ENGINE_BUFFERS("engine, message buffers", () -> new EngineContestant(BenchmarkLink.SHARED_MEMORY, false, true)),
    /** This project's engine with a {@code byte[]} at both ends. */
    ENGINE_ARRAYS("engine, byte[]", () -> new EngineContestant(BenchmarkLink.SHARED_MEMORY, true, true)),
    /** This project's engine over UDP. */
    ENGINE_UDP("engine over UDP, message buffers", () -> new EngineContestant(BenchmarkLink.UDP, false, true)),
    /** This project's engine over UDP, with one message per packet. */
    ENGINE_UDP_SINGLE(
            "engine over UDP, message buffers, no batching",
            () -> new EngineContestant(BenchmarkLink.UDP, false, false)),
    /** This project's service with Spring, with methods on the polling thread. */
    SPRING_INLINE(
            "@RdmaService, inline",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.INLINE,
                    OrderCodec.GENERATED,
                    Ends.POLLING_THREAD,
                    Sessions.ONE)),
    /** The same, but the client's calling thread runs the event loop. */
    SPRING_TURNED(
            "@RdmaService, inline, run by the caller",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY, Dispatch.INLINE, OrderCodec.GENERATED, Ends.CALLER, Sessions.ONE)),
    /** The service with Spring, with methods and completions of futures on virtual threads. */
    SPRING_VIRTUAL(
            "@RdmaService, virtual threads",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.VIRTUAL,
                    OrderCodec.GENERATED,
                    Ends.VIRTUAL_THREADS,
                    Sessions.ONE)),
    /** The inline service with Kryo's own record serializers. */
    SPRING_STOCK(
            "@RdmaService, inline, stock Kryo",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY, Dispatch.INLINE, OrderCodec.STOCK, Ends.POLLING_THREAD, Sessions.ONE)),
    /** The inline service with hand-written serializers. */
    SPRING_BY_HAND(
            "@RdmaService, inline, hand-written",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.INLINE,
                    OrderCodec.BY_HAND,
                    Ends.POLLING_THREAD,
                    Sessions.ONE)),
    /** The inline service over UDP. */
    SPRING_UDP(
            "@RdmaService over UDP, inline",
            () -> new SpringContestant(
                    BenchmarkLink.UDP, Dispatch.INLINE, OrderCodec.GENERATED, Ends.POLLING_THREAD, Sessions.ONE)),
    /** The service with 100 sessions, for measurements while idle. */
    SPRING_100_SESSIONS(
            "@RdmaService, 100 sessions",
            () -> new SpringContestant(
                    BenchmarkLink.SHARED_MEMORY,
                    Dispatch.VIRTUAL,
                    OrderCodec.GENERATED,
                    Ends.VIRTUAL_THREADS,
                    Sessions.HUNDRED)),
    /** The service as in an application without settings. */
    SPRING_DEFAULTS("@RdmaService, defaults", () -> SpringContestant.set(Sessions.ONE)),
    /** The service with a window of 64. */
    SPRING_WINDOW(
            "@RdmaService, window of 64", () -> SpringContestant.set(Sessions.ONE, "rdma.client.max-in-flight=64")),
    /** The service with the preset for throughput. */
    SPRING_THROUGHPUT(
            "@RdmaService, preset throughput", () -> SpringContestant.set(Sessions.ONE, "rdma.preset=throughput")),
    /** The service with polling threads that never sleep. */
    SPRING_BUSY("@RdmaService, busy", () -> SpringContestant.set(Sessions.ONE, "rdma.polling.idle-strategy=busy")),
    /** The service with polling threads that sleep early. */
    SPRING_FEW_TURNS(
            "@RdmaService, 500 idle spins", () -> SpringContestant.set(Sessions.ONE, "rdma.polling.idle-spins=500")),
    /** The service with two sessions, which share one polling thread on each side. */
    SPRING_TWO_SESSIONS("@RdmaService, two sessions", () -> SpringContestant.set(Sessions.TWO)),
    /** The service with two sessions and a polling thread for each. */
    SPRING_TWO_THREADS(
            "@RdmaService, two sessions, two polling threads",
            () -> SpringContestant.set(Sessions.TWO, "rdma.polling.threads=2")),
    /** The same applications without the starter, for measurements while idle. */
    SPRING_ALONE("the applications without the starter", SpringAloneContestant::new),
    /** gRPC with direct executors. */
    GRPC_ASYNC("gRPC over TCP, direct executor", () -> new GrpcContestant(false, true)),
    /** gRPC with its default executors. */
    GRPC_BLOCKING("gRPC over TCP", () -> new GrpcContestant(false, false)),
    /** gRPC over a Unix socket. */
    GRPC_UNIX("gRPC over a Unix socket, direct executor", () -> new GrpcContestant(true, true)),
    /** Aeron through shared memory, orders serialized by Kryo's own record serializers. */
    AERON_IPC("Aeron IPC, stock Kryo", () -> new AeronContestant(AeronMedia.IPC, OrderCodec.STOCK)),
    /** Aeron through shared memory with hand-written serializers. */
    AERON_IPC_BY_HAND("Aeron IPC, hand-written", () -> new AeronContestant(AeronMedia.IPC, OrderCodec.BY_HAND)),
    /** Aeron over UDP. */
    AERON_UDP("Aeron UDP, stock Kryo", () -> new AeronContestant(AeronMedia.UDP, OrderCodec.STOCK)),
    /** Aeron over UDP with hand-written serializers. */
    AERON_UDP_BY_HAND("Aeron UDP, hand-written", () -> new AeronContestant(AeronMedia.UDP, OrderCodec.BY_HAND)),
    /** Aeron over UDP in datagrams of 8 KiB. */
    AERON_UDP_8K("Aeron UDP, MTU 8 KiB", () -> new AeronContestant(AeronMedia.UDP_8K, OrderCodec.STOCK)),
    /** Kryo over a TCP connection. */
    KRYO_TCP("Kryo over TCP", KryoTcpContestant::new),
    /** RSocket. */
    RSOCKET("RSocket over TCP", RSocketContestant::new),
    /** Spring's HTTP interface client with its defaults. */
    HTTP("Spring HTTP interface", () -> new HttpContestant(false)),
    /** Spring's HTTP interface client with HttpComponents and virtual threads. */
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
     * Creates the contestant.
     *
     * @return the contestant, for a server or a client in a process of its own
     */
    public Contestant contestant() {
        return contestant.get();
    }

    /**
     * Returns how calls are made.
     *
     * @param payload payload of requests and responses
     * @param callers kind of the calling threads
     * @return API, dispatch, and polling threads
     */
    public CallMode mode(Payload payload, Callers callers) {
        return contestant.get().mode(payload, callers);
    }

    /**
     * Returns whether the peer supports a payload.
     *
     * @param payload payload of requests and responses
     * @return false for orders if the peer carries only bytes, and for long payloads if it carries only single packets
     */
    public boolean carries(Payload payload) {
        return switch (this) {
            case VERBS -> !payload.isOrder() && payload.bytes() <= VerbsPingPong.MOST_BYTES;
            case SPRING_ALONE -> payload.isOrder();
            default -> !payload.isOrder() || !name().startsWith("ENGINE");
        };
    }

    /**
     * Returns whether the peer has asynchronous calls.
     *
     * @return false for blocking HTTP clients, for a ping-pong, and for applications without a service
     */
    public boolean isAsynchronous() {
        return this != HTTP && this != HTTP_TUNED && this != VERBS && this != SPRING_ALONE;
    }

    /**
     * Runs a server or a client, as {@link io.rdmarpc.benchmarks.load.Pair} starts them.
     *
     * @param arguments {@code serve NAME} or {@code call NAME ADDRESS}
     * @throws Exception if the server or client fails
     */
    public static void main(String... arguments) throws Exception {
        run(valueOf(arguments[1]).contestant.get(), arguments);
    }

    /** Runs a server or a client and ends the process. */
    static void run(Contestant contestant, String... arguments) {
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
        // Halts, because threads of libraries may still run.
        Runtime.getRuntime().halt(status);
    }
}
