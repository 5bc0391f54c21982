package io.rdmarpc.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples on the software RNIC. Against the C programs they are tested in the virtual machine. */
@Timeout(180)
class SoftPingPongTest {

    private static final String[] SOFT = {"--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0"};

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String[] words(String... more) {
        String[] words = new String[SOFT.length + more.length];
        System.arraycopy(SOFT, 0, words, 0, SOFT.length);
        System.arraycopy(more, 0, words, SOFT.length, more.length);
        return words;
    }

    @Test
    void shouldPlayDatagramsBetweenTwoPrograms() throws Exception {
        play(UdPingPong::run);
    }

    @Test
    void shouldPlayOverAConnectionBetweenTwoPrograms() throws Exception {
        play(RcPingPong::run);
    }

    private static void play(ToIntFunction<String[]> program) throws Exception {
        String port = Integer.toString(freePort());
        CompletableFuture<Integer> server =
                CompletableFuture.supplyAsync(() -> program.applyAsInt(words("-p", port, "-n", "300", "-c")));
        int client = 1;
        for (int attempt = 0; client != 0 && attempt < 100 && !server.isDone(); attempt++) {
            client = program.applyAsInt(words("-p", port, "-n", "300", "-c", "127.0.0.1"));
            Thread.sleep(50);
        }

        assertThat(client).isZero();
        assertThat(server.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void whenADatagramIsOverThePathMtuThenItIsRefused() {
        String output = errorOutput(
                () -> assertThat(UdPingPong.run(words("-s", "100000"))).isEqualTo(1));

        assertThat(output).contains("100000 bytes is over the path MTU");
    }

    private static String errorOutput(Runnable action) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
