package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.Cpus;
import java.lang.foreign.Arena;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * A probe between two processes. This process starts the second one, which runs the same program with {@code --second}.
 * Each process has its own CPU.
 */
abstract class TwoProcessProbe extends Probe {

    private static final List<String> FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    @Option(names = "--second", hidden = true)
    private boolean second;

    TwoProcessProbe(String unit, int iterations) {
        super(unit, iterations);
    }

    /** Measures at the first end, which has started the second one and later ends it. */
    abstract void first(Arena arena, ChildProcess peer) throws Exception;

    /**
     * Runs the second end: prepares, then serves the number of operations of each request until the process is ended.
     */
    abstract void second(Arena arena, ProbeRequests requests) throws Exception;

    /** Measures at the first end. The second end sleeps between measurements. */
    final void print(ChildProcess peer, Run run) throws Exception {
        print(() -> {
            peer.send(iterations());
            peer.line();
            return run.measure();
        });
    }

    /** Waits at the second end for the next run and reports that it is ready. Returns the number of operations. */
    static int awaitRun(ProbeRequests requests) throws InterruptedException {
        int count = Integer.parseInt(requests.next());
        requests.respond("ready");
        return count;
    }

    @Override
    public final Integer call() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            if (second) {
                Cpus.pin(1);
                second(arena, ProbeRequests.ofParent());
            } else {
                try (ChildProcess peer = ChildProcess.start(
                        ChildProcess.jvm(FLAGS, Probes.class.getName(), List.of(name(), "--second")))) {
                    Cpus.pin(0);
                    first(arena, peer);
                }
            }
            return 0;
        }
    }
}
