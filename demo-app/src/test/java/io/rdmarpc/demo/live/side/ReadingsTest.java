package io.rdmarpc.demo.live.side;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadingsTest {

    private static Readings at(long seconds, long clientCompilerMillis) {
        return new Readings(TimeUnit.SECONDS.toNanos(seconds), new ProcessReading(1, 0, 0, clientCompilerMillis), null);
    }

    @Test
    void shouldReturnTheShareOfTheTimeInWhichTheCompilerWorked() {
        assertThat(at(4, 900).compilerShareSince(at(2, 500))).isCloseTo(0.2, within(1e-9));
    }
}
