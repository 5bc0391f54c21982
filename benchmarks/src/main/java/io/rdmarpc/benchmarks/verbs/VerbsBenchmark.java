package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BenchmarkControlLink;
import io.rdmarpc.benchmarks.Cpus;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * Two processes and the runs between them. Each process opens the device and registers memory once; each run has its
 * own queue pair. The server makes a run whenever the client requests one, and ends when the client ends.
 */
abstract class VerbsBenchmark implements Callable<Integer> {

    private static final int PAGE = 4096;
    private static final String DONE = "done";

    /** Access flags of the memory. */
    private static final Set<AccessFlag> ACCESS =
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

    @ParentCommand
    private VerbsBenchmarks suite = new VerbsBenchmarks(port -> {});

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Mixin
    private RunOptions options = new RunOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    abstract QueuePairType type();

    abstract int defaultSize();

    abstract QueuePairCapabilities capabilities();

    abstract long memoryBytes();

    MemorySegment allocate(Arena arena, OpenPort port) {
        return arena.allocate(memoryBytes(), PAGE);
    }

    abstract String header();

    abstract Workload workload(Arena arena, Wiring wiring, MemoryRegion memory);

    final RunOptions options() {
        return options;
    }

    @Override
    public final Integer call() throws IOException {
        if (options.size == 0) {
            options.size = defaultSize();
        }
        if (options.cpu >= 0) {
            Cpus.pin(options.cpu);
        }
        try (Arena arena = Arena.ofConfined();
                OpenPort port = device.open();
                ProtectionDomain domain = port.context().allocateProtectionDomain();
                MemoryRegion memory = domain.registerMemory(allocate(arena, port), ACCESS)) {
            if (options.peer.host() == null) {
                serve(port, domain, memory);
            } else {
                request(options.peer.host(), port, domain, memory);
            }
            return 0;
        }
    }

    private void serve(OpenPort port, ProtectionDomain domain, MemoryRegion memory) throws IOException {
        try (BenchmarkControlLink link = BenchmarkControlLink.accept(options.peer, suite.listening())) {
            for (String line = link.receive(); line != null; line = link.receive()) {
                try (Arena arena = Arena.ofConfined();
                        Wiring wiring = wire(port, domain)) {
                    EndPoint peer = EndPoint.parse(line);
                    Workload workload = workload(arena, wiring, memory);
                    workload.prepare();
                    wiring.connect(peer);
                    link.send(wiring.own(memory).line());
                    workload.run(peer, false);
                    awaitEnd(port, arena, wiring, link);
                    link.send(DONE);
                }
            }
        }
    }

    /**
     * Waits for the end of a run. The server of one-sided operations polls if its device works only while it is polled.
     */
    private static void awaitEnd(OpenPort port, Arena arena, Wiring wiring, BenchmarkControlLink link)
            throws IOException {
        if (port.advancesByPolling()) {
            AtomicBoolean ended = new AtomicBoolean();
            Thread.ofPlatform().daemon().name("end of run").start(() -> {
                link.awaitLine();
                ended.set(true);
            });
            BenchmarkPoller poller = new BenchmarkPoller(arena, wiring.sendQueue(), 1);
            while (!ended.get()) {
                poller.poll();
            }
        }
        awaitLine(link);
    }

    private void request(String host, OpenPort port, ProtectionDomain domain, MemoryRegion memory) throws IOException {
        out().println(header());
        try (BenchmarkControlLink link = BenchmarkControlLink.connect(host, options.peer.tcpPort())) {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
            while (!options.onDemand || input.readLine() != null) {
                out().println(runOnce(link, port, domain, memory));
                out().flush();
                if (!options.onDemand) {
                    return;
                }
            }
        }
    }

    private String runOnce(BenchmarkControlLink link, OpenPort port, ProtectionDomain domain, MemoryRegion memory)
            throws IOException {
        try (Arena arena = Arena.ofConfined();
                Wiring wiring = wire(port, domain)) {
            Workload workload = workload(arena, wiring, memory);
            workload.prepare();
            link.send(wiring.own(memory).line());
            EndPoint peer = EndPoint.parse(awaitLine(link));
            wiring.connect(peer);
            String report = workload.run(peer, true);
            link.send(DONE);
            awaitLine(link);
            return report;
        }
    }

    Wiring wire(OpenPort port, ProtectionDomain domain) {
        return new Wiring(port, domain, type(), capabilities(), options.checked);
    }

    private static String awaitLine(BenchmarkControlLink link) throws IOException {
        @Nullable String line = link.receive();
        if (line == null) {
            throw new IOException("the peer closed the connection during a run; see the peer's output for the reason");
        }
        return line;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
