package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PsnTest {

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1",
        "1, 0, -1",
        "16777215, 0, 1",
        "0, 16777215, -1",
        "16777200, 15, 31",
        "5, 5, 0",
        "0, 8388607, 8388607",
        "0, 8388608, -8388608"
    })
    void shouldMeasureDistanceAcrossTheWrap(int base, int psn, int distance) {
        assertThat(Psn.distance(base, psn)).isEqualTo(distance);
        assertThat(Psn.plus(base, distance)).isEqualTo(psn);
        assertThat(Psn.isBefore(psn, base)).isEqualTo(distance < 0);
    }
}
