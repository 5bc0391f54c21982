package io.rdmarpc.examples.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.benchmarks.TwoEnds;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples on the software RNIC. The virtual machine tests them with the C programs. */
@Timeout(180)
class SoftPingPongTest {

    @Test
    void shouldExchangeDatagramsBetweenTwoPrograms() throws Exception {
        play(UdPingPong::run);
    }

    @Test
    void shouldExchangeMessagesOverAConnection() throws Exception {
        play(RcPingPong::run);
    }

    private static void play(TwoEnds.Program program) throws Exception {
        TwoEnds ends = TwoEnds.run(program, "-n", "300", "-c");

        assertThat(ends.client()).isZero();
        assertThat(ends.server()).isZero();
    }

    @Test
    void whenADatagramExceedsThePathMtuThenItIsRejected() {
        String output = errorOutput(() -> assertThat(UdPingPong.run(port -> {}, TwoEnds.onSoft("-s", "100000")))
                .isEqualTo(1));

        assertThat(output).contains("100000 bytes exceeds the path MTU");
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
