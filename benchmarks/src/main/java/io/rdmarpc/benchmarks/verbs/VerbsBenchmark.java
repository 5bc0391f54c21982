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
 * Two processes and the runs between them. The device is opened and the memory registered once; each run has a queue pair
 * of its own. The server makes a run whenever the client asks for one, and ends when the client does.
 */
abstract class VerbsBenchmark implements Callable<Integer> {

    private static final int PAGE = 4096;
    private static final String DONE = "done";

    /** What a peer may do to the memory. */
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

    /** The server of a one-sided operation has nothing to do, unless its device works only while it is polled. */
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
        answer(link);
    }

    private void request(String host, OpenPort port, ProtectionDomain domain, MemoryRegion memory) throws IOException {
        out().println(header());
        try (BenchmarkControlLink link = BenchmarkControlLink.connect(host, options.peer.tcpPort())) {
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
            while (!options.onDemand || orders.readLine() != null) {
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
            EndPoint peer = EndPoint.parse(answer(link));
            wiring.connect(peer);
            String report = workload.run(peer, true);
            link.send(DONE);
            answer(link);
            return report;
        }
    }

    Wiring wire(OpenPort port, ProtectionDomain domain) {
        return new Wiring(port, domain, type(), capabilities(), options.checked);
    }

    private static String answer(BenchmarkControlLink link) throws IOException {
        @Nullable String line = link.receive();
        if (line == null) {
            throw new IOException("the peer hung up in the middle of a run; its own output says why");
        }
        return line;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
