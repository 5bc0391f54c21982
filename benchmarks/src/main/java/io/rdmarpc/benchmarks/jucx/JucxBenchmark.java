package io.rdmarpc.benchmarks.jucx;

import io.rdmarpc.benchmarks.BenchmarkControlLink;
import io.rdmarpc.benchmarks.Cpus;
import io.rdmarpc.benchmarks.MeasureOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Two processes that make runs over one connection. The server makes a run whenever the client requests one, sleeps
 * between runs, and ends when the client ends.
 */
abstract class JucxBenchmark implements Callable<Integer> {

    private static final int PAGE = 4096;
    private static final String RUN = "run";

    @Mixin
    private MeasureOptions options = new MeasureOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    abstract int defaultSize();

    abstract long memoryBytes();

    abstract String header();

    /** Prepares the memory before the peer learns its address. */
    abstract void prepare(JucxNode node, boolean client);

    /** Makes a run and returns the line of the client's report. The server's line is ignored. */
    abstract String run(JucxNode node, boolean client);

    final MeasureOptions options() {
        return options;
    }

    @Override
    public final Integer call() throws IOException {
        if (options.size == 0) {
            options.size = defaultSize();
        }
        String host = options.peer.host();
        boolean client = host != null;
        try (Arena arena = Arena.ofConfined();
                JucxNode node = new JucxNode(arena.allocate(memoryBytes(), PAGE));
                BenchmarkControlLink link = host == null
                        ? BenchmarkControlLink.accept(options.peer, JucxBenchmark::listening)
                        : BenchmarkControlLink.connect(host, options.peer.tcpPort())) {
            // Pins this thread only now, because threads that UCX starts would inherit the CPU.
            if (options.cpu >= 0) {
                Cpus.pin(options.cpu);
            }
            prepare(node, client);
            node.connect(link, client);
            if (client) {
                request(node, link);
            } else {
                serve(node, link);
            }
        }
        return 0;
    }

    private static void listening(int port) {
        System.err.println("listening on TCP port " + port);
    }

    private void serve(JucxNode node, BenchmarkControlLink link) throws IOException {
        while (link.receive() != null) {
            run(node, false);
        }
    }

    private void request(JucxNode node, BenchmarkControlLink link) throws IOException {
        out().println(header());
        out().flush();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        while (!options.onDemand || orders.readLine() != null) {
            link.send(RUN);
            out().println(run(node, true));
            out().flush();
            if (!options.onDemand) {
                return;
            }
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
