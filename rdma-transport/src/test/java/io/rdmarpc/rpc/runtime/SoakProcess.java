package io.rdmarpc.rpc.runtime;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * One process of a {@link SoakTest}. Each ends when its standard input ends, or when it is killed.
 *
 * <pre>
 *   server PORT JOURNAL [option=value...]            appends the id of each call that it runs to its journal
 *   client PORT LOG FIRST-ID [option=value...]       calls all the time; appends the id of each call that has a
 *                                                    response with the right bytes; LOG.wrong has the violations
 * </pre>
 *
 * Journal and log hold 8 bytes per id, written before the response is sent and after it arrived. The files of a killed
 * process remain.
 */
public final class SoakProcess {

    private static final String SERVICE = "test.Soak";
    private static final ServiceContract.Method RUN =
            new ServiceContract.Method(ServiceContract.methodId(SERVICE, "byte[] run(byte[])"), "byte[] run(byte[])");
    private static final ServiceContract CONTRACT = new ServiceContract(SERVICE, List.of(RUN), List.of());
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    /** Extra time that the engine and a busy machine may need to report a timeout. */
    private static final Duration SLACK = Duration.ofSeconds(2);
    /** Time after which a caller no longer expects a result. */
    private static final Duration NEVER = TIMEOUT.multipliedBy(2);

    private static final int CALLERS = 6;
    private static final int LONGEST = 4 << 20;

    private SoakProcess() {}

    /**
     * Runs one process.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws Exception {
        boolean server = args[0].equals("server");
        int port = Integer.parseInt(args[1]);
        Path file = Path.of(args[2]);
        String[] options = Arrays.copyOfRange(args, server ? 3 : 4, args.length);
        try (RdmaRuntime runtime =
                        Runtimes.open(Runtimes.config(Duration.ofSeconds(10), Duration.ofSeconds(5)), options);
                Ids ids = new Ids(file)) {
            if (server) {
                serve(runtime, port, ids);
            } else {
                new Client(runtime, port, ids, wrongOf(file), Long.parseLong(args[3])).run();
            }
        }
    }

    /** Returns the file in which a client with this log reports violations. */
    static Path wrongOf(Path log) {
        return log.resolveSibling(log.getFileName() + ".wrong");
    }

    private static int openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return (int) files.count();
        }
    }

    private static void serve(RdmaRuntime runtime, int port, Ids journal) throws IOException {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            runtime.export(new ServiceExport(
                    CONTRACT, List.of(new ServiceExport.Method(RUN.id(), request -> run(request, journal), executor))));
            try (RpcServer server = runtime.listen(new InetSocketAddress(Runtimes.LOOPBACK, port))) {
                int before = openFiles();
                System.out.println("LISTENING " + server.address().getPort());
                MemoryWatch memory = new MemoryWatch(runtime);
                awaitEndOfInput();
                String used = memory.end();
                Runtimes.await(
                        "the end of all sessions", () -> runtime.statistics().serverSessions() == 0);
                System.out.println("SERVED fds-before " + before + " fds " + openFiles() + used);
            }
        }
    }

    private static void run(RpcRequest request, Ids journal) throws IOException {
        MemorySegment message = request.message().payload();
        journal.append(message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        int length = request.message().length();
        MessageBuffer response = request.allocate(length);
        MemorySegment.copy(message, 0, response.segment(), 0, length);
        response.length(length);
        request.respond(response);
    }

    private static void awaitEndOfInput() throws IOException {
        int next = System.in.read();
        while (next >= 0) {
            next = System.in.read();
        }
    }

    /** A file of ids. */
    static final class Ids implements AutoCloseable {

        private final FileChannel channel;

        Ids(Path file) throws IOException {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        synchronized void append(long id) throws IOException {
            channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, id));
        }

        static long[] read(Path file) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            long[] ids = new long[bytes.remaining() / Long.BYTES];
            bytes.asLongBuffer().get(ids);
            return ids;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /**
     * Samples the memory of this process, which may grow at first, but not permanently. The whole heap is resident from
     * the start, see {@link SoakTest}. So the used heap is measured after a collection, and other resident memory
     * separately.
     */
    private static final class MemoryWatch {

        private static final int SAMPLES_PER_COLLECTION = 25;

        private final List<long[]> samples = new CopyOnWriteArrayList<>();
        private final Thread thread;

        MemoryWatch(RdmaRuntime runtime) {
            thread = Thread.ofPlatform().daemon().start(() -> sample(runtime));
        }

        private void sample(RdmaRuntime runtime) {
            try {
                long heap = 0;
                for (int i = 0; true; i++) {
                    if (i % SAMPLES_PER_COLLECTION == 0) {
                        System.gc();
                        heap = heapMegabytes();
                    }
                    samples.add(new long[] {runtime.registeredBytes() >> 20, megabytesOutsideHeap(), heap});
                    Thread.sleep(200);
                }
            } catch (InterruptedException | IOException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static long heapMegabytes() {
            Runtime jvm = Runtime.getRuntime();
            return (jvm.totalMemory() - jvm.freeMemory()) >> 20;
        }

        private static long megabytesOutsideHeap() throws IOException {
            String pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1];
            return ((Long.parseLong(pages) * 4) >> 10) - (Runtime.getRuntime().totalMemory() >> 20);
        }

        /** Returns the maximum of the second quarter of the time, when caches are full, and of the last quarter. */
        String end() {
            thread.interrupt();
            return words("registered", 0) + words("outside-heap", 1) + words("heap", 2);
        }

        private String words(String name, int what) {
            int quarter = samples.size() / 4;
            return " " + name + "-early " + most(what, quarter, 2 * quarter) + " " + name + "-late "
                    + most(what, 3 * quarter, samples.size());
        }

        private long most(int what, int from, int until) {
            return samples.subList(from, until).stream()
                    .mapToLong(sample -> sample[what])
                    .max()
                    .orElse(0);
        }
    }

    /** Calls from several threads until its input ends. */
    private static final class Client {

        private final RdmaRuntime runtime;
        private final RpcChannel channel;
        private final Ids log;
        private final Path problems;
        private final AtomicLong nextId;
        private final AtomicInteger completed = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final AtomicInteger wrong = new AtomicInteger();
        private volatile boolean ending;

        Client(RdmaRuntime runtime, int port, Ids log, Path problems, long firstId) {
            this.runtime = runtime;
            this.channel = Runtimes.channel(runtime, port);
            this.log = log;
            this.problems = problems;
            this.nextId = new AtomicLong(firstId);
        }

        void run() throws IOException, InterruptedException, ExecutionException {
            long first = nextId.get();
            System.out.println("CALLING");
            MemoryWatch memory = new MemoryWatch(runtime);
            Thread watch = Thread.ofPlatform().daemon().start(this::awaitEnd);
            callUntilTheEnd(first);
            watch.interrupt();
            long started = nextId.get() - first;
            System.out.println("CALLED started " + started + " completed " + completed + " failed " + failed + " wrong "
                    + wrong + " fds " + openFiles() + memory.end());
        }

        /** The process that started this one limits the time. */
        private void callUntilTheEnd(long seed) throws InterruptedException, ExecutionException {
            List<Callable<Void>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                callers.add(() -> {
                    call(random);
                    return null;
                });
            }
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                for (Future<Void> end : threads.invokeAll(callers)) {
                    end.get();
                }
            }
        }

        private void awaitEnd() {
            try {
                awaitEndOfInput();
            } catch (IOException e) {
                System.err.println("no input: " + e);
            }
            ending = true;
        }

        private void call(SplittableRandom random) throws IOException, InterruptedException {
            while (!ending) {
                try {
                    call(channel.session(Duration.ofSeconds(1)), someLength(random));
                } catch (RdmaUnavailableException e) {
                    // The server is being restarted.
                    Thread.sleep(10);
                }
            }
        }

        private static int someLength(SplittableRandom random) {
            return switch (random.nextInt(20)) {
                case 0 -> Long.BYTES + random.nextInt(LONGEST - Long.BYTES + 1);
                case 1, 2, 3 -> Long.BYTES + random.nextInt(300_000);
                case 4, 5, 6, 7 -> Long.BYTES + random.nextInt(20_000);
                default -> Long.BYTES + random.nextInt(1_000);
            };
        }

        private void call(RpcSession session, int length) throws IOException {
            long id = nextId.getAndIncrement();
            byte[] payload = Echo.payload(length, id);
            MemorySegment.ofArray(payload).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, id);
            long start = System.nanoTime();
            try {
                CompletableFuture<byte[]> response = Echo.call(session, RUN.id(), payload, TIMEOUT);
                byte[] bytes = response.get(NEVER.toMillis(), TimeUnit.MILLISECONDS);
                answered(id, Echo.difference(payload, bytes));
            } catch (TimeoutException | InterruptedException e) {
                report(id, "no result: " + e);
            } catch (ExecutionException e) {
                failed.incrementAndGet();
                report(id, unexpected(e.getCause()));
            } catch (RdmaUnavailableException e) {
                failed.incrementAndGet();
            }
            report(id, late(System.nanoTime() - start));
        }

        /** The log has only ids of right responses. */
        private void answered(long id, String difference) throws IOException {
            if (difference == null) {
                log.append(id);
            }
            completed.incrementAndGet();
            report(id, difference);
        }

        private static String late(long nanos) {
            long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
            return millis <= TIMEOUT.plus(SLACK).toMillis()
                    ? null
                    : "ended after " + millis + " ms, with a deadline of " + TIMEOUT.toMillis();
        }

        private static String unexpected(Throwable failure) {
            boolean expected = failure instanceof RdmaUnavailableException
                    || failure instanceof RdmaTimeoutException
                    || failure instanceof RdmaBackpressureException;
            return expected ? null : failure.toString();
        }

        private void report(long id, String problem) throws IOException {
            if (problem != null) {
                wrong.incrementAndGet();
                String line = "call " + id + ": " + problem + System.lineSeparator();
                Files.writeString(problems, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        }
    }
}
