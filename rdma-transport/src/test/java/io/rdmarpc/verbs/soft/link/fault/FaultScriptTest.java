package io.rdmarpc.verbs.soft.link.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.soft.link.fault.FaultScript.Action;
import io.rdmarpc.verbs.soft.link.fault.FaultScript.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultScriptTest {

    private static final String SETTING = "soft.faults.script";

    private static FaultScript parse(String text) {
        return FaultScript.parse(SETTING, text);
    }

    private static Step step(Action action, long first, long last, PacketKind kind) {
        return new Step(action, first, last, kind, Step.USUAL_DELAY);
    }

    @Test
    void shouldParseEachStep() {
        assertThat(parse("drop 3 ACK; duplicate 1 READ_RESPONSE; delay 2 SEND 5ms; corrupt 4-6 any")
                        .steps())
                .containsExactly(
                        step(Action.DROP, 3, 3, PacketKind.ACK),
                        step(Action.DUPLICATE, 1, 1, PacketKind.READ_RESPONSE),
                        new Step(Action.DELAY, 2, 2, PacketKind.SEND, 5_000_000),
                        step(Action.CORRUPT, 4, 6, PacketKind.ANY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reorder 7 nak", " Reorder  7 Nak ", "reorder 7 NAK;", ";;reorder 7 NAK ;"})
    void shouldIgnoreCaseAndSpace(String text) {
        assertThat(parse(text).steps()).containsExactly(step(Action.REORDER, 7, 7, PacketKind.NAK));
    }

    @ParameterizedTest
    @EnumSource(PacketKind.class)
    void shouldKnowEachKindByItsName(PacketKind kind) {
        assertThat(parse("drop 1 " + kind.name()).steps()).containsExactly(step(Action.DROP, 1, 1, kind));
    }

    @ParameterizedTest
    @CsvSource({"500us,500000", "5ms,5000000", "2s,2000000000"})
    void shouldParseDurations(String text, long nanos) {
        assertThat(parse("delay 1 UD " + text).steps().getFirst().delayNanos()).isEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", ";", " ; ; "})
    void whenEmptyThenNothingHappens(String text) {
        assertThat(parse(text)).isEqualTo(FaultScript.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lose 3 ACK          | 1  | \"lose\" is not an action | drop, duplicate, reorder, delay, corrupt",
                "drop third ACK      | 6  | \"third\" is not a number from 1 on | such as 3-5",
                "drop 0 ACK          | 6  | \"0\" is not a number from 1 on    | such as 3-5",
                "drop 5-3 ACK        | 6  | \"5-3\" is not a number from 1 on  | such as 3-5",
                "drop 3 ACKS         | 8  | \"ACKS\" is not a kind of packet | READ_RESPONSE, ATOMIC, ATOMIC_RESPONSE,"
                        + " ACK, NAK, RNR",
                "delay 2 SEND 5      | 14 | \"5\" is not a duration of at most one minute | 500us, 5ms or 2s",
                "delay 2 SEND 61s    | 14 | \"61s\" is not a duration of at most one minute | 500us, 5ms or 2s",
                "drop 1 UD 5ms       | 11 | \"5ms\" is not expected after a complete step | a semicolon",
                "drop 1 UD drop 2 UD | 11 | \"drop\" is not expected after a complete step | a semicolon",
                "drop 1 UD; drop 2   | 18 | the script ends too early | any, UD, SEND",
                "drop 1 ; drop 2 UD  | 8  | \";\" is not a kind of packet | any, UD, SEND",
            })
    void whenInvalidThenReportsThePositionAndTheExpectedWords(
            String text, int position, String problem, String allowed) {
        RdmaConfigurationException failure = catchThrowableOfType(RdmaConfigurationException.class, () -> parse(text));
        assertThat(failure.setting()).isEqualTo(SETTING);
        assertThat(failure.value()).isEqualTo(text);
        assertThat(failure.problem()).startsWith("at character " + position + " " + problem);
        assertThat(failure.remedy()).contains(allowed);
    }

    @Test
    void whenCorruptionIsRemovedThenOtherStepsStay() {
        assertThat(parse("corrupt 1 any; drop 2 UD").withoutCorruption()).isEqualTo(parse("drop 2 UD"));
    }
}
