package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.OtherPrograms;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.profile.ProfileTables;
import io.rdmarpc.benchmarks.profile.SampleCounts;
import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Samples the CPU time of both processes during calls, after a warm-up. The recordings stay in the directory of the
 * report, for JDK Mission Control or {@code jfr view}.
 */
@Command(
        description = "samples the CPU time of client and server by thread and by method; needs JDK 25 on Linux",
        mixinStandardHelpOptions = true)
final class ProfileCommand extends MeasuringCommand {

    /** With these flags a sample names the method of its instruction instead of the method at the next safepoint. */
    private static final List<String> FLAGS = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints");

    /** Calls that can be profiled. */
    private enum Profiled {
        /** 32 bytes by the engine. */
        ECHO(Peers.ENGINE_BUFFERS, Payload.B32),
        /** A typed order through Spring, methods on the polling thread. */
        ORDER(Peers.SPRING_INLINE, Payload.ORDER),
        /** 1 MiB by the engine. */
        LARGE(Peers.ENGINE_BUFFERS, Payload.MIB1),
        /** 32 bytes by the engine over UDP. */
        UDP(Peers.ENGINE_UDP, Payload.B32);

        private final Peers peer;
        private final Payload payload;

        Profiled(Peers peer, Payload payload) {
            this.peer = peer;
            this.payload = payload;
        }
    }

    @Parameters(paramLabel = "WHAT", description = "calls to profile: ${COMPLETION-CANDIDATES}")
    private Profiled what = Profiled.ECHO;

    @Option(names = "--who", description = "peer for the same calls instead of this project, such as AERON_IPC")
    private @Nullable Peers who;

    @Option(
            names = "--outstanding",
            description = "calls outstanding: 1 for a blocking caller, more for asynchronous calls (default"
                    + " ${DEFAULT-VALUE})")
    private int outstanding = 1;

    @Option(names = "--seconds", description = "length of the sampling in seconds (default ${DEFAULT-VALUE})")
    private double seconds = 60;

    @Option(names = "--warm-up", description = "maximum warm-up in seconds (default ${DEFAULT-VALUE})")
    private double warmUp = 40;

    @Override
    void measure() throws IOException {
        Peers peer = who == null ? what.peer : who;
        Cell cell = Cell.of(what.payload, outstanding == 1 ? Callers.PLATFORM : Callers.ASYNC, outstanding);
        Path client = recording(peer, "client");
        Path server = recording(peer, "server");
        describe("Calls", peer + ", " + cell + ": " + peer.mode(cell.payload(), cell.callers()));
        try (Pair pair = Pair.start(Peers.class, peer.name(), FLAGS)) {
            boolean warm = pair.warmUp(cell, warmUp);
            OtherPrograms others = new OtherPrograms();
            BenchmarkMeasurement measured = pair.sample(cell, seconds, client, server);
            describe(
                    "While sampled",
                    String.format(
                            Locale.ROOT,
                            "%.0f calls per second, p50 %.2f µs; %s; other programs %.0f %%",
                            measured.outcome().perSecond(),
                            measured.outcome().micros(50),
                            warm ? "warm" : "still getting faster",
                            others.percent()));
        }
        write("client", client);
        write("server", server);
    }

    private Path recording(Peers peer, String process) {
        String name = what.name() + "-" + peer + "-" + outstanding + "-" + process;
        return out().resolve(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".jfr")
                .toAbsolutePath();
    }

    private void write(String process, Path recording) throws IOException {
        for (CsvRow row : SampleCounts.of(recording).rows(process)) {
            write(ProfileTables.FILE, row);
        }
    }
}
