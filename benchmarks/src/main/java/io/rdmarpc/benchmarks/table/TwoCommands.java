package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server and a client of the software RNIC, each on a CPU of its own. */
final class TwoCommands implements Meter {

    private static final Pattern LISTENING = Pattern.compile("listening on TCP port (\\d+)");
    private static final long START_LIMIT_NANOS = 60_000_000_000L;
    private static final long LOOK_MILLIS = 20;

    private final BenchmarkProcess server;
    private final BenchmarkProcess client;
    private final int column;

    /**
     * Starts both.
     *
     * @param nativeAccess whether they may call C
     * @param column which word of the client's line is the number, from 1
     */
    TwoCommands(boolean nativeAccess, int column, List<String> words) throws IOException {
        this.column = column;
        List<String> common = new ArrayList<>(words);
        common.addAll(BenchmarkProcess.ON_SOFTWARE_RNIC);
        server = BenchmarkProcess.start(nativeAccess, join(common, "-p", "0", "--cpu", "0"));
        try {
            client = BenchmarkProcess.start(
                    nativeAccess, join(common, "-p", port(), "--cpu", "1", "--on-demand", "127.0.0.1"));
            String _ = client.line(); // The names of the columns.
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private static List<String> join(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    private String port() throws IOException {
        long start = System.nanoTime();
        while (server.isAlive() && System.nanoTime() - start < START_LIMIT_NANOS) {
            Matcher found = LISTENING.matcher(server.errors());
            if (found.find()) {
                return found.group(1);
            }
            pause();
        }
        throw server.failure("does not listen");
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Measures for so long, for the compilers; nothing of it counts. */
    TwoCommands warmUp(long nanos) throws IOException {
        long start = System.nanoTime();
        try {
            do {
                measure();
            } while (System.nanoTime() - start < nanos);
        } catch (IOException e) {
            close();
            throw e;
        }
        return this;
    }

    @Override
    public double measure() throws IOException {
        client.order();
        return OneCommand.number(client.line(), column);
    }

    /** The server ends with the client. */
    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
