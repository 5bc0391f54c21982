package io.rdmarpc.demo.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("processes")
@Timeout(600)
class ComparisonTest {

    private static final List<String> ARGUMENTS = List.of(
            "--demo.seconds=2",
            "--demo.warm-up-seconds=2",
            "--demo.callers=4",
            "--rdma.provider=soft",
            "--rdma.memory.max-size=256MB");

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(List<String> arguments) {
        return Comparison.run(arguments, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldMeasureAllTransports() {
        int status = run(ARGUMENTS);

        assertThat(status).as(output()).isZero();
        assertThat(output())
                .contains("first call of a process", "place orders, 4 callers", "fetch a report")
                .contains("RDMA provider soft, device soft0")
                .contains("Other programs used")
                .containsPattern("orders: [0-9.]+ µs over RDMA instead of [0-9.]+ µs over gRPC")
                .contains("every response was checked and is correct");
        assertThat(ProcessHandle.current().children().filter(ComparisonTest::isDemo))
                .isEmpty();
    }

    private static boolean isDemo(ProcessHandle process) {
        return process.info()
                .commandLine()
                .filter(line -> line.contains("DemoApplication"))
                .isPresent();
    }

    @Test
    void whenAServerDoesNotStartThenItsOutputIsPrinted() {
        int status = run(List.of("--rdma.provider=nonsense"));

        assertThat(status).isEqualTo(1);
        assertThat(output()).contains("THE DEMO FAILED: the RDMA server ended with status 1", "nonsense");
    }

    @Test
    void whenAProcessDoesNotRespondThenTheWaitEnds() {
        try (ComparedProcess process = ComparedProcess.start("a sleeper", List.of("sleep", "5"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> process.response(Duration.ofSeconds(1)))
                    .withMessageContaining("a sleeper did not respond within 1 s");
        }
    }
}
