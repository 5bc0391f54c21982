package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Contestant.Caller;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * A server, or a client that calls it all the time and records the ends of its calls. It ends at the end of its input.
 * All builds that are compared must agree on its arguments.
 */
final class TurnsProcess {

    /** Name for a number in shared memory instead of a peer. */
    static final String FLAG = "FLAG";

    /**
     * Prefix of the line that reports readiness. A server's address follows, or the client's number of calls per batch.
     */
    static final String READY = "> ready ";

    private TurnsProcess() {}

    /** Runs with the arguments {@code serve NAME} or {@code call NAME ADDRESS PAYLOAD FILE [BATCH]}. */
    public static void main(String... arguments) {
        int status = 0;
        try {
            Contestant contestant = arguments[1].equals(FLAG)
                    ? new FlagContestant()
                    : Peers.valueOf(arguments[1]).contestant();
            if (arguments[0].equals("serve")) {
                serve(contestant);
            } else {
                int batch = arguments.length > 5 ? Integer.parseInt(arguments[5]) : CallTimes.BATCH;
                call(contestant, arguments[2], Payload.valueOf(arguments[3]), Path.of(arguments[4]), batch);
            }
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        // Halts, because threads of libraries may still run.
        Runtime.getRuntime().halt(status);
    }

    private static void serve(Contestant contestant) throws Exception {
        try (Server server = contestant.serve()) {
            System.out.println(READY + server.address());
            awaitEndOfInput();
        }
    }

    private static void call(Contestant contestant, String address, Payload payload, Path file, int batch)
            throws Exception {
        CallTimes times = CallTimes.of(Arena.global(), file);
        Client client = contestant.connect(address);
        Thread.ofPlatform().name("caller").start(() -> callRepeatedly(client, payload, times, batch));
        System.out.println(READY + batch);
        awaitEndOfInput();
    }

    private static void callRepeatedly(Client client, Payload payload, CallTimes times, int batch) {
        try (Caller caller = client.caller(payload)) {
            while (true) {
                for (int i = 0; i < batch; i++) {
                    caller.call();
                }
                times.note(System.nanoTime());
            }
        } catch (Exception e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    @SuppressWarnings("ReturnValueIgnored") // the parent never writes to it
    private static void awaitEndOfInput() throws Exception {
        while (System.in.read() >= 0) {
            // Waits for the end of the input.
        }
    }
}
