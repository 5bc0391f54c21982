package io.rdmarpc.rpc.control.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Repeated events of remote hosts are logged once, then counted. */
class RateLimitedLogTest {

    private final List<String> lines = new ArrayList<>();
    private long now = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos();
    private final RateLimitedLog log = new RateLimitedLog(new Recorder(), () -> now);

    /** Records the lines above DEBUG. */
    private final class Recorder implements System.Logger {

        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String text, @Nullable Throwable thrown) {
            record(level, text);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... parameters) {
            record(level, format);
        }

        private void record(Level level, String text) {
            if (level != Level.DEBUG) {
                lines.add(level + " " + text);
            }
        }
    }

    private void reject(String host, int times) {
        for (int i = 0; i < times; i++) {
            log.log(System.Logger.Level.WARNING, "rejected", host, "rejected " + host);
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void whenAHostIsRejectedRepeatedlyThenTheFirstTimeIsLogged() {
        reject("10.0.0.1", 1000);

        assertThat(lines).containsExactly("WARNING rejected 10.0.0.1");
    }

    @Test
    void whenAMinuteHasPassedThenTheNextLineHasTheirNumber() {
        reject("10.0.0.1", 8);
        pass(Duration.ofSeconds(61));
        reject("10.0.0.1", 2);

        assertThat(lines)
                .containsExactly(
                        "WARNING rejected 10.0.0.1",
                        "WARNING rejected 10.0.0.1 (and 7 more of 10.0.0.1 since the last such line)");
    }

    @Test
    void whenOtherHostsAndKindsComeThenEachIsLogged() {
        reject("10.0.0.1", 2);
        reject("10.0.0.2", 2);
        log.log(System.Logger.Level.INFO, "not taken", "10.0.0.1", "not taken");

        assertThat(lines).containsExactly("WARNING rejected 10.0.0.1", "WARNING rejected 10.0.0.2", "INFO not taken");
    }

    @Test
    void whenManyHostsCauseEventsThenLinesPerMinuteAreBounded() {
        for (int host = 0; host < 10_000; host++) {
            reject("host-" + host, 1);
        }
        assertThat(lines).hasSize(RateLimitedLog.MAX_LINES);

        pass(Duration.ofSeconds(61));
        reject("one more", 1);
        assertThat(lines).hasSize(RateLimitedLog.MAX_LINES + 1);
    }
}
