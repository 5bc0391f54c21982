package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Executes requests of the parent process. It reads one request per line and prints one response per line. Lines
 * without the prefix are output of libraries.
 *
 * <pre>
 *   at the start          > address, of a server; > ready, of a client
 *   sample                > ready, and samples CPU time from now on
 *   save FILE             > ready: the samples are in the file, and sampling has stopped
 *   collect               > ready: garbage was collected
 *   counters              > cpu-nanos allocated-bytes collector-millis compiler-millis
 *   prepare CELL          > ready to make such calls
 *   run SECONDS           > calls seconds nanos...
 *   end                   > ready: the prepared calls are closed
 * </pre>
 */
public final class Supervisor {

    static final String RESPONSE = "> ";

    static final String SAVE = "save ";

    static final String COLLECT = "collect";

    private static final String READY = "ready";

    private final PrintStream out = System.out;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private @Nullable Run run;
    private @Nullable Samples samples;

    /** Creates the supervisor of this process. */
    public Supervisor() {}

    /**
     * Runs a server until the input ends.
     *
     * @param contestant the peer that serves
     * @throws Exception if serving fails
     */
    public void serve(Contestant contestant) throws Exception {
        try (Server server = contestant.serve()) {
            respond(server.address());
            for (String request = in.readLine(); request != null; request = in.readLine()) {
                respond(execute(request));
            }
        }
    }

    /**
     * Runs a client until the input ends.
     *
     * @param contestant the peer that calls
     * @param address address of the server
     * @throws Exception if calling fails
     */
    public void call(Contestant contestant, String address) throws Exception {
        try (Client client = contestant.connect(address)) {
            respond(READY);
            for (String request = in.readLine(); request != null; request = in.readLine()) {
                respond(executeCall(client, request));
            }
        }
    }

    private String executeCall(Client client, String request) throws Exception {
        String[] words = request.split(" ", -1);
        return switch (words[0]) {
            case "prepare" -> {
                run = prepare(client, Cell.parse(Arrays.copyOfRange(words, 1, words.length)));
                yield READY;
            }
            case "run" -> prepared().run(Double.parseDouble(words[1])).words();
            case "end" -> {
                prepared().close();
                run = null;
                yield READY;
            }
            default -> execute(request);
        };
    }

    /** Executes a request that servers and clients support. */
    private String execute(String request) throws IOException {
        if (request.equals("counters")) {
            return BenchmarkCounters.now().words();
        }
        if (request.equals(COLLECT)) {
            System.gc();
            return READY;
        }
        if (request.equals("sample")) {
            samples = new Samples();
            return READY;
        }
        if (request.startsWith(SAVE) && samples != null) {
            try (Samples taken = samples) {
                taken.save(Path.of(request.substring(SAVE.length())));
            }
            return READY;
        }
        throw new IllegalStateException("unknown request from the parent process: " + request);
    }

    private static Run prepare(Client client, Cell cell) {
        if (cell.callers() != Callers.ASYNC) {
            return new BlockingRun(client, cell);
        }
        return cell.pipelines() > 1 ? new ParallelRun(client, cell) : new AsyncRun(client, cell);
    }

    private Run prepared() {
        if (run == null) {
            throw new IllegalStateException("no calls are prepared: send a prepare request first");
        }
        return run;
    }

    private void respond(String line) throws IOException {
        out.println(RESPONSE + line);
        out.flush();
        if (out.checkError()) {
            throw new IOException("cannot respond: the parent process has ended");
        }
    }
}
