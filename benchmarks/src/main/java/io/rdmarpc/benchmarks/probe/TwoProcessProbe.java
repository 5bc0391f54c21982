package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.Cpus;
import java.lang.foreign.Arena;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * A probe between two processes. This one starts the other, which is the same program with {@code --second}; each has a CPU
 * of its own.
 */
abstract class TwoProcessProbe extends Probe {

    private static final List<String> FLAGS =
            List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    @Option(names = "--second", hidden = true)
    private boolean second;

    TwoProcessProbe(String unit, int iterations) {
        super(unit, iterations);
    }

    /** The end that measures. It has started the other, and ends it. */
    abstract void first(Arena arena, ChildProcess peer) throws Exception;

    /** The other end: makes ready, then serves as many operations as each request asks for, until it is ended. */
    abstract void second(Arena arena, ProbeRequests requests) throws Exception;

    /** Measures at the first end; the second sleeps in between. */
    final void print(ChildProcess peer, Run run) throws Exception {
        print(() -> {
            peer.send(iterations());
            peer.line();
            return run.measure();
        });
    }

    /** At the second end: waits for the next run and tells that it is ready. Returns its operations. */
    static int awaitRun(ProbeRequests requests) throws InterruptedException {
        int count = Integer.parseInt(requests.next());
        requests.answer("ready");
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
