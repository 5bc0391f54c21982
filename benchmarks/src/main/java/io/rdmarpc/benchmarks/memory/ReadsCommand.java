package io.rdmarpc.benchmarks.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures READs between two devices of one process. */
@Command(
        name = "reads",
        description = "measures READs of 1 MiB between two devices of one process, 16 outstanding, in GB/s",
        mixinStandardHelpOptions = true)
public final class ReadsCommand implements Callable<Integer> {

    private enum How {
        BARE,
        CHAINED,
        AWAITED
    }

    @Parameters(
            paramLabel = "HOW",
            description = "kind of READs, by bare verbs or by remote memory: ${COMPLETION-CANDIDATES}")
    private How how = How.BARE;

    @Option(
            names = {"-n", "--iters"},
            description = "READs per run (default ${DEFAULT-VALUE})")
    private int iterations = 4000;

    @Option(names = "--udp", description = "use UDP instead of shared memory")
    private boolean udp;

    @Option(names = "--on-demand", description = "measure once for each input line, and end at the end of the input")
    private boolean onDemand;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        try (Reads reads = open()) {
            BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
            do {
                if (onDemand && requests.readLine() == null) {
                    break;
                }
                PrintWriter out = spec.commandLine().getOut();
                out.printf(Locale.ROOT, "%.4f%n", reads.measure(iterations));
                out.flush();
            } while (onDemand);
        }
        return 0;
    }

    private Reads open() {
        return switch (how) {
            case BARE -> new BareReads(!udp);
            case CHAINED -> new ChainedReads(!udp);
            case AWAITED -> new AwaitedReads(!udp);
        };
    }
}
