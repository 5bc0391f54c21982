package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.QueuePairType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A refused change of a queue pair")
class QueuePairTransitionTest {

    @Test
    void namesWhatIsMissing() {
        QueuePairAttributes attributes = new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sendPsn(7)
                .timeout(14)
                .rnrRetry(7);

        String text = transition(QueuePairType.RC, QueuePairState.RTR, attributes);

        assertThat(text)
                .isEqualTo("RC queue pair 17 in state RTR was to change"
                        + " [STATE=RTS, TIMEOUT=14, RNR_RETRY=7, SQ_PSN=7]."
                        + " This step also needs [RETRY_CNT, MAX_QP_RD_ATOMIC]");
    }

    @Test
    void keepsTheQkeySecret() {
        QueuePairAttributes attributes = new QueuePairAttributes().qkey(0x1EAD_BEEF);

        assertThat(transition(QueuePairType.UD, QueuePairState.RTS, attributes)).endsWith("was to change [QKEY=...]");
    }

    @Test
    void needsLittleForDatagrams() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.UD, QueuePairState.INIT, attributes))
                .endsWith("in state INIT was to change [STATE=RTR]");
    }

    @Test
    void saysThatAStepWasLeftOut() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.RC, QueuePairState.RESET, attributes))
                .endsWith("There is no step from RESET to RTR: it goes RESET, INIT, RTR, RTS");
    }

    @Test
    void isExplainedWithoutAKnownState() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.RC, null, attributes)).contains("in state unknown");
    }

    private static String transition(QueuePairType type, QueuePairState from, QueuePairAttributes attributes) {
        return new QueuePairTransition(type, 17, from, attributes).explain();
    }
}
