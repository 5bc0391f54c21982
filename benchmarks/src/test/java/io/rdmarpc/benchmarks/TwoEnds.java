package io.rdmarpc.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Both ends of a program on the software RNIC in one process. The client starts as soon as the server listens.
 *
 * @param server exit status of the server
 * @param client exit status of the client
 */
public record TwoEnds(int server, int client) {

    private static final String[] SOFT = {"--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0"};

    /** The entry point of a program. */
    @FunctionalInterface
    public interface Program {
        int run(IntConsumer listening, String... words);
    }

    /** Adds the options that select the software RNIC on the loopback address only. */
    public static String[] onSoft(String... words) {
        return join(words, SOFT);
    }

    /** Runs both ends with the same arguments; the client also gets the server's host and port. */
    public static TwoEnds run(Program program, String... words) throws Exception {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        CompletableFuture<Integer> server =
                CompletableFuture.supplyAsync(() -> program.run(port::complete, onSoft(join(words, "-p", "0"))));
        CompletableFuture.anyOf(port, server).get(60, TimeUnit.SECONDS);
        String chosen = Integer.toString(port.resultNow());
        int client = program.run(ignored -> {}, onSoft(join(words, "-p", chosen, "127.0.0.1")));
        return new TwoEnds(server.get(60, TimeUnit.SECONDS), client);
    }

    private static String[] join(String[] words, String... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new);
    }
}
