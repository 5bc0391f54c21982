package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.SpringContestant.Dispatch;
import io.rdmarpc.benchmarks.peer.SpringContestant.Ends;
import io.rdmarpc.benchmarks.peer.SpringContestant.Sessions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Kinds of calls whose rate is measured by the number of threads. The texts are their names in tables. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are stateless
public enum ScaleKind {
    /** Bytes to one NIC with several polling threads. */
    BYTES(
            "32 B by message buffers. The server has one NIC and N busy polling threads. Each of the client's N threads"
                    + " runs a runtime of its own, with 128 calls outstanding",
            threads -> ScaleKind.engine(1, threads),
            ScaleKind::bytes),
    /** Bytes to several NICs with one polling thread each. */
    NICS(
            "as `bytes`, but the server has N runtimes with a NIC and a polling thread each",
            threads -> ScaleKind.engine(threads, 1),
            ScaleKind::bytes),
    /** Bytes between several pairs of processes. */
    PROCESSES(
            "as `bytes`, but N pairs of processes with one thread on each side, which share nothing. Percentiles are"
                    + " medians over the pairs",
            _ -> ScaleKind.engine(1, 1),
            _ -> ScaleKind.bytes(1)),
    /** Typed orders whose futures end on the polling threads. */
    ORDER(
            "typed orders by Spring, `INLINE`. Each side has N polling threads. Each of N sessions has 64 calls"
                    + " outstanding, whose futures are completed on the polling threads",
            threads -> ScaleKind.inlineOrders(Sessions.each(threads), threads),
            ScaleKind::ordersAhead),
    /** Typed orders by threads that run an engine each. */
    ORDER_CALLER(
            "as `order`, but each of the client's N threads runs an engine and makes the calls on it."
                    + " The proxy of one target selects the session of each",
            threads -> ScaleKind.orders(Dispatch.INLINE, Ends.CALLER, Sessions.ONE, threads, ScaleKind.MANY_IN_FLIGHT),
            ScaleKind::ordersAhead),
    /** Typed orders by threads that wait. */
    ORDER_WAIT(
            "as `order`, but N platform threads call and wait. The proxy of one target selects the session of each",
            threads -> ScaleKind.inlineOrders(Sessions.ONE, threads),
            threads -> Cell.of(Payload.ORDER, Callers.PLATFORM, threads)),
    /** Typed orders with methods and callers on virtual threads. */
    ORDER_VIRTUAL(
            "typed orders by the starter's defaults, with N polling threads on each side. Methods and 16 N callers run on"
                    + " virtual threads. The proxy of one target spreads the calls over sessions",
            threads -> ScaleKind.orders(Dispatch.VIRTUAL, Ends.VIRTUAL_THREADS, Sessions.ONE, threads),
            threads -> ScaleKind.ordersAwaited(Callers.VIRTUAL, threads)),
    /** Typed orders with methods on worker threads and callers on platform threads. */
    ORDER_WORKER(
            "as `order-virtual`, but without `spring.threads.virtual.enabled`: methods run on the starter's worker"
                    + " threads, callers are platform threads",
            threads -> ScaleKind.orders(Dispatch.WORKER, Ends.VIRTUAL_THREADS, Sessions.ONE, threads),
            threads -> ScaleKind.ordersAwaited(Callers.PLATFORM, threads)),
    /** Typed orders by gRPC. */
    GRPC(
            "typed orders by gRPC over TCP with direct executors. Each side has N event loops. Each of N channels has 64"
                    + " calls outstanding",
            threads -> new GrpcContestant(false, true, threads),
            ScaleKind::ordersAhead);

    private static final int BYTES_OUTSTANDING = 128;
    private static final int ORDERS_OUTSTANDING = 64;
    private static final int CALLERS_PER_THREAD = 16;
    private static final String MANY_IN_FLIGHT = "rdma.client.max-in-flight=128";

    /** Separates the name of a kind from its number of threads in the arguments of a process. */
    private static final String SEPARATOR = ":";

    /** Flags of processes that do not allocate: the heap is touched at the start, and there may be many processes. */
    private static final List<String> SMALL_HEAP = List.of("-Xms256m", "-Xmx256m");

    private final String description;
    private final IntFunction<Contestant> contestant;
    private final IntFunction<Cell> cell;

    ScaleKind(String description, IntFunction<Contestant> contestant, IntFunction<Cell> cell) {
        this.description = description;
        this.contestant = contestant;
        this.cell = cell;
    }

    private static Contestant engine(int nics, int threads) {
        return new EngineContestant(BenchmarkLink.SHARED_MEMORY, false, true, nics, threads);
    }

    private static Contestant orders(Dispatch dispatch, Ends ends, Sessions sessions, int threads, String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("rdma.polling.threads=" + threads);
        // The limit applies to all sessions together, so the default rejects calls of many threads.
        all.add("rdma.server.max-concurrent-calls=8192");
        return new SpringContestant(BenchmarkLink.SHARED_MEMORY, dispatch, OrderCodec.GENERATED, ends, sessions, all);
    }

    private static Contestant inlineOrders(Sessions sessions, int threads) {
        return orders(Dispatch.INLINE, Ends.POLLING_THREAD, sessions, threads, MANY_IN_FLIGHT);
    }

    private static Cell bytes(int threads) {
        return Cell.ofPipelines(Payload.B32, threads, BYTES_OUTSTANDING);
    }

    private static Cell ordersAhead(int threads) {
        return Cell.ofPipelines(Payload.ORDER, threads, ORDERS_OUTSTANDING);
    }

    private static Cell ordersAwaited(Callers callers, int threads) {
        return Cell.of(Payload.ORDER, callers, CALLERS_PER_THREAD * threads);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns what is measured.
     *
     * @return a description in Markdown, in which N is the number of threads
     */
    public String description() {
        return description;
    }

    /**
     * Returns the number of pairs of processes.
     *
     * @param threads number of threads per side
     * @return 1, or the number of threads if each has processes of its own
     */
    public int pairs(int threads) {
        return this == PROCESSES ? threads : 1;
    }

    /**
     * Returns the calls of each pair.
     *
     * @param threads number of threads per side
     * @return the calls
     */
    public Cell cell(int threads) {
        return cell.apply(threads);
    }

    /**
     * Returns JVM flags in addition to those of all measured processes.
     *
     * @return the flags
     */
    public List<String> flags() {
        return cell.apply(1).payload().isOrder() ? List.of() : SMALL_HEAP;
    }

    /**
     * Returns the name that {@link #main} accepts.
     *
     * @param threads number of threads per side
     * @return a word
     */
    public String process(int threads) {
        return name() + SEPARATOR + threads;
    }

    /**
     * Creates the contestant.
     *
     * @param threads number of threads per side
     * @return the contestant, for a server or a client in a process of its own
     */
    public Contestant contestant(int threads) {
        return contestant.apply(threads);
    }

    /**
     * Runs a server or a client, as {@link io.rdmarpc.benchmarks.load.Pair} starts them.
     *
     * @param arguments {@code serve NAME:THREADS} or {@code call NAME:THREADS ADDRESS}
     */
    public static void main(String... arguments) {
        String[] words = arguments[1].split(SEPARATOR, -1);
        Peers.run(valueOf(words[0]).contestant(Integer.parseInt(words[1])), arguments);
    }
}
