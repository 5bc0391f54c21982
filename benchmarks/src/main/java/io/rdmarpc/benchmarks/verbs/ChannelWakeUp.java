package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.benchmarks.WakeUps;
import io.rdmarpc.verbs.CompletionChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how long it takes to wake another thread of this process that sleeps in a completion channel. */
@Command(
        name = "channel-wake-up",
        description =
                "measures the time from CompletionChannel.wakeUp until another thread's sleep in the channel ends",
        mixinStandardHelpOptions = true)
final class ChannelWakeUp implements Callable<Integer> {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Option(
            names = {"-n", "--iters"},
            description = "number of measured wake-ups (default ${DEFAULT-VALUE})")
    private int iterations = 2_000;

    @Option(names = "--on-demand", description = "measure once for each input line, and end at the end of the input")
    private boolean onDemand;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        try (OpenPort port = device.open();
                CompletionChannel channel = port.context().createCompletionChannel();
                WakeUps wakeUps = new WakeUps(() -> sleep(channel), channel::wakeUp)) {
            wakeUps.medianMicros(iterations);
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
            while (!onDemand || orders.readLine() != null) {
                print(wakeUps.medianMicros(iterations));
                if (!onDemand) {
                    break;
                }
            }
            return 0;
        }
    }

    private static boolean sleep(CompletionChannel channel) {
        int _ = channel.await(LIMIT);
        return true;
    }

    private void print(double micros) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(Locale.ROOT, " %-14d %14.2f%n", iterations, micros);
        out.flush();
    }
}
