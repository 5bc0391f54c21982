package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Contestant.Caller;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.peer.Peers;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** A server, or a client that calls it again and again and notes when its calls have ended. It ends with its input. */
final class TurnsProcess {

    /** In place of one of {@link Peers}. */
    static final String FLAG = "FLAG";

    /** Begins the line that a process prints when it is ready; a server's address follows. What libraries print is other. */
    static final String READY = "> ready ";

    private TurnsProcess() {}

    /**
     * Is one of them.
     *
     * @param arguments {@code serve NAME} or {@code call NAME ADDRESS PAYLOAD FILE}
     */
    public static void main(String... arguments) {
        int status = 0;
        try {
            Contestant contestant = arguments[1].equals(FLAG)
                    ? new FlagContestant()
                    : Peers.valueOf(arguments[1]).contestant();
            if (arguments[0].equals("serve")) {
                serve(contestant);
            } else {
                call(contestant, arguments[2], Payload.valueOf(arguments[3]), Path.of(arguments[4]));
            }
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        // Threads of libraries may be left.
        Runtime.getRuntime().halt(status);
    }

    private static void serve(Contestant contestant) throws Exception {
        try (Server server = contestant.serve()) {
            System.out.println(READY + server.address());
            awaitEndOfInput();
        }
    }

    private static void call(Contestant contestant, String address, Payload payload, Path file) throws Exception {
        CallTimes times = CallTimes.of(Arena.global(), file);
        Client client = contestant.connect(address);
        Thread.ofPlatform().name("caller").start(() -> callForEver(client, payload, times));
        System.out.println(READY);
        awaitEndOfInput();
    }

    private static void callForEver(Client client, Payload payload, CallTimes times) {
        try (Caller caller = client.caller(payload)) {
            while (true) {
                for (int i = 0; i < CallTimes.BATCH; i++) {
                    caller.call();
                }
                times.note(System.nanoTime());
            }
        } catch (Exception e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    @SuppressWarnings("ReturnValueIgnored") // nothing is ever written to it
    private static void awaitEndOfInput() throws Exception {
        while (System.in.read() >= 0) {
            // Nobody writes anything.
        }
    }
}
