package io.rdmarpc.benchmarks.profile;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.Environment;
import io.rdmarpc.benchmarks.TableOptions;
import io.rdmarpc.benchmarks.load.BenchmarkMeasurement;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.table.OtherPrograms;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Takes samples of processor time ({@code jdk.CPUTimeSample}) in both processes while warm calls are made, and prints where they
 * fell. The recordings stay, for JDK Mission Control or {@code jfr view}.
 */
@Command(
        name = "profile",
        description = "samples of processor time of client and server, by thread and by method; needs JDK 25 on Linux",
        mixinStandardHelpOptions = true)
public final class Profile implements Callable<Integer> {

    /** So that a sample names the instruction's method and not that of the next safepoint. */
    private static final List<String> FLAGS = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints");

    @Parameters(paramLabel = "WHAT", description = "${COMPLETION-CANDIDATES}")
    private Profiled what = Profiled.ECHO;

    @Option(names = "--who", description = "another one than ours for the same calls, such as AERON_IPC")
    private @Nullable Peers who;

    @Option(
            names = "--outstanding",
            description =
                    "1 for a caller that waits, more for calls that are not waited for (default ${DEFAULT-VALUE})")
    private int outstanding = 1;

    @Option(names = "--seconds", description = "of sampling (default ${DEFAULT-VALUE})")
    private double seconds = 60;

    @Option(names = "--warm-up", description = "the most seconds before it (default ${DEFAULT-VALUE})")
    private double warmUp = 40;

    @Option(names = "--out", description = "directory of recordings and report (default ${DEFAULT-VALUE})")
    private Path out = Path.of("benchmarks", "target", "profile");

    @Mixin
    private TableOptions options = new TableOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    Profile() {}

    /**
     * Samples and prints.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(Commands.run(new Profile(), arguments));
    }

    @Override
    public Integer call() throws IOException {
        Peers peer = who == null ? what.peer() : who;
        Cell cell = Cell.of(what.payload(), outstanding == 1 ? Callers.PLATFORM : Callers.ASYNC, outstanding);
        Files.createDirectories(out);
        String name = what.name().toLowerCase(Locale.ROOT) + "-" + peer + "-" + outstanding;
        String file = name.replaceAll("[^A-Za-z0-9]+", "-");
        Path client = out.resolve(file + "-client.jfr").toAbsolutePath();
        Path server = out.resolve(file + "-server.jfr").toAbsolutePath();
        String text = "# " + peer + ", " + cell + "\n\n" + Environment.text(options.commit())
                + sample(peer, cell, client, server)
                + "\n## Client\n\n" + TopFrames.of(client).markdown()
                + "\n## Server\n\n" + TopFrames.of(server).markdown();
        Files.writeString(out.resolve(file + ".md"), text);
        PrintWriter print = spec.commandLine().getOut();
        print.println(text);
        print.println("recordings in " + out);
        print.flush();
        return 0;
    }

    private String sample(Peers peer, Cell cell, Path client, Path server) throws IOException {
        try (Pair pair = Pair.start(Peers.class, peer.name(), FLAGS)) {
            boolean warm = pair.warmUp(cell, warmUp);
            OtherPrograms others = new OtherPrograms();
            BenchmarkMeasurement measured = pair.sample(cell, seconds, client, server);
            return String.format(
                    Locale.ROOT,
                    "- Calls: %s%n- While sampled: %.0f calls a second, p50 %.2f us; %s; other programs %.0f %%%n",
                    peer.mode(cell.payload(), cell.callers()),
                    measured.outcome().perSecond(),
                    measured.outcome().micros(50),
                    warm ? "warm" : "still getting faster",
                    others.percent());
        }
    }
}
