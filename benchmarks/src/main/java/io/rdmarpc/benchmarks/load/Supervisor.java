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
 * What a process does that was started by {@link MeasuredProcess}: it reads orders and answers each with a line. Other lines
 * that libraries print are not answers.
 *
 * <pre>
 *   at the start          > address, of a server; > ready, of a client
 *   sample                > ready, and takes samples of processor time
 *   save FILE             > ready: they are in the file, and no more are taken
 *   collect               > ready: garbage is collected
 *   counters              > cpu-nanos allocated-bytes collector-millis compiler-millis
 *   prepare CELL          > ready, to make such calls
 *   run SECONDS           > calls seconds nanos...
 *   end                   > ready: they are over
 * </pre>
 */
public final class Supervisor {

    static final String ANSWER = "> ";

    static final String SAVE = "save ";

    static final String COLLECT = "collect";

    private static final String READY = "ready";

    private final PrintStream out = System.out;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private @Nullable Run run;
    private @Nullable Samples samples;

    /** Makes one. */
    public Supervisor() {}

    /**
     * Serves until the input ends.
     *
     * @param contestant what to serve with
     * @throws Exception when that fails
     */
    public void serve(Contestant contestant) throws Exception {
        try (Server server = contestant.serve()) {
            answer(server.address());
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                answer(obey(order));
            }
        }
    }

    /**
     * Calls until the input ends.
     *
     * @param contestant what to call with
     * @param address where the server is
     * @throws Exception when that fails
     */
    public void call(Contestant contestant, String address) throws Exception {
        try (Client client = contestant.connect(address)) {
            answer(READY);
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                answer(obeyCaller(client, order));
            }
        }
    }

    private String obeyCaller(Client client, String order) throws Exception {
        String[] words = order.split(" ", -1);
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
            default -> obey(order);
        };
    }

    /** What servers obey, too. */
    private String obey(String order) throws IOException {
        if (order.equals("counters")) {
            return BenchmarkCounters.now().words();
        }
        if (order.equals(COLLECT)) {
            System.gc();
            return READY;
        }
        if (order.equals("sample")) {
            samples = new Samples();
            return READY;
        }
        if (order.startsWith(SAVE) && samples != null) {
            try (Samples taken = samples) {
                taken.save(Path.of(order.substring(SAVE.length())));
            }
            return READY;
        }
        throw new IllegalStateException("what is " + order + "?");
    }

    private static Run prepare(Client client, Cell cell) {
        return cell.callers() == Callers.ASYNC ? new AsyncRun(client, cell) : new BlockingRun(client, cell);
    }

    private Run prepared() {
        if (run == null) {
            throw new IllegalStateException("nothing is prepared");
        }
        return run;
    }

    private void answer(String line) throws IOException {
        out.println(ANSWER + line);
        out.flush();
        if (out.checkError()) {
            throw new IOException("nobody listens any more");
        }
    }
}
