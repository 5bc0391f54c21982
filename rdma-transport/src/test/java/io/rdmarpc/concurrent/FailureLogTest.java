package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A log of failures")
class FailureLogTest {

    private final FakeClock clock = new FakeClock();
    private final List<String> lines = new ArrayList<>();
    private final FailureLog log = new FailureLog(new Lines(), clock);
    private @Nullable Error fault;

    /** A logger that stores its lines, or throws. */
    private final class Lines implements System.Logger {

        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            if (fault != null) {
                throw fault;
            }
            lines.add(message + ": " + thrown.getMessage());
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            lines.add(format);
        }
    }

    @Test
    @DisplayName("writes at most one line a second, with the number of failures that had none")
    void whenAFailureRecursThenItIsCounted() {
        for (int i = 0; i < 1000; i++) {
            log.report("a packet", new InternalError("fault " + i));
        }
        assertThat(lines).containsExactly("a packet: fault 0");

        clock.advance(Duration.ofSeconds(1));
        log.report("a packet", new InternalError("another one"));

        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).startsWith("a packet (999 failures").endsWith("another one");
    }

    @Test
    @DisplayName("never throws, even if the logger does")
    void whenTheLoggerThrowsThenTheCallerContinues() {
        fault = new OutOfMemoryError("on purpose");

        assertThatCode(() -> log.report("a packet", new InternalError("a fault")))
                .doesNotThrowAnyException();
    }
}
