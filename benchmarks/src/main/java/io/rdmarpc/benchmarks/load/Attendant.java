package io.rdmarpc.benchmarks.load;

import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a process does that was started by {@link MeasuredProcess}: it reads orders and answers each with a line. Other lines
 * that libraries print are not answers.
 *
 * <pre>
 *   at the start          > address, of a server; > ready, of a client
 *   counters              > cpu-nanos allocated-bytes collector-millis
 *   run CELL SECONDS      > calls seconds nanos...
 * </pre>
 */
public final class Attendant {

    static final String ANSWER = "> ";

    private final PrintStream out = System.out;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    /** Makes one. */
    public Attendant() {}

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
                answer(Counters.now().words());
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
            answer("ready");
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                String[] words = order.split(" ", -1);
                answer(
                        words[0].equals("run")
                                ? run(client, words)
                                : Counters.now().words());
            }
        }
    }

    private static String run(Client client, String... words) throws Exception {
        Cell cell = Cell.parse(Arrays.copyOfRange(words, 1, words.length));
        double seconds = Double.parseDouble(words[words.length - 1]);
        Outcome outcome = cell.callers() == Callers.ASYNC
                ? new AsyncRun(client, cell).run(seconds)
                : new BlockingRun(client, cell).run(seconds);
        return outcome.words();
    }

    private void answer(String line) throws IOException {
        out.println(ANSWER + line);
        out.flush();
        if (out.checkError()) {
            throw new IOException("nobody listens any more");
        }
    }
}
