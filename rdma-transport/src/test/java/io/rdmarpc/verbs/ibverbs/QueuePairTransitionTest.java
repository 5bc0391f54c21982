package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A rejected modification of a queue pair")
class QueuePairTransitionTest {

    @Test
    void shouldNameMissingAttributes() {
        QueuePairAttributes attributes = new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sendPsn(7)
                .timeout(14)
                .rnrRetry(7);

        String text = transition(QueuePairType.RC, QueuePairState.RTR, attributes);

        assertThat(text)
                .isEqualTo("RC queue pair 17 in state RTR did not accept"
                        + " [STATE=RTS, TIMEOUT=14, RNR_RETRY=7, SQ_PSN=7]."
                        + " This transition also requires [RETRY_CNT, MAX_QP_RD_ATOMIC]");
    }

    @Test
    void shouldOmitTheQkey() {
        QueuePairAttributes attributes = new QueuePairAttributes().qkey(0x1EAD_BEEF);

        assertThat(transition(QueuePairType.UD, QueuePairState.RTS, attributes)).endsWith("did not accept [QKEY=...]");
    }

    @Test
    void shouldRequireFewAttributesForDatagrams() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.UD, QueuePairState.INIT, attributes))
                .endsWith("in state INIT did not accept [STATE=RTR]");
    }

    @Test
    void whenATransitionIsSkippedThenTheMessageNamesTheOrder() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.RC, QueuePairState.RESET, attributes))
                .endsWith(
                        "There is no transition from RESET to RTR: use RESET, INIT, RTR, RTS, from RTS to SQD and back,"
                                + " and from any state to ERR or RESET");
    }

    @Test
    void shouldRequireNoRetriesForAnUnreliableConnection() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);
        assertThat(transition(QueuePairType.UC, QueuePairState.INIT, attributes))
                .endsWith("This transition also requires [AV, PATH_MTU, RQ_PSN, DEST_QPN]");

        attributes = new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(1);
        assertThat(transition(QueuePairType.UC, QueuePairState.RTR, attributes))
                .endsWith("did not accept [STATE=RTS, SQ_PSN=1]");
        assertThat(transition(QueuePairType.UC, QueuePairState.RTR, attributes.timeout(14)))
                .endsWith("A UC queue pair has no [TIMEOUT]: omit it");
    }

    @Test
    void shouldNameAttributesThatDatagramsLack() {
        QueuePairAttributes attributes =
                new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(1).retryCount(1);

        assertThat(transition(QueuePairType.UD, QueuePairState.RTR, attributes))
                .endsWith("A UD queue pair has no [RETRY_CNT]: omit it");
    }

    @Test
    void shouldAllowTransitionsToSqdAndBack() {
        QueuePairAttributes drain =
                new QueuePairAttributes().state(QueuePairState.SQD).notifyWhenDrained(true);
        assertThat(transition(QueuePairType.RC, QueuePairState.RTS, drain))
                .endsWith("did not accept [STATE=SQD, EN_SQD_ASYNC_NOTIFY=true]");
        assertThat(transition(QueuePairType.RC, QueuePairState.INIT, drain))
                .contains("There is no transition from INIT to SQD");

        QueuePairAttributes back =
                new QueuePairAttributes().state(QueuePairState.RTS).currentState(QueuePairState.SQD);
        assertThat(transition(QueuePairType.RC, QueuePairState.SQD, back))
                .endsWith("did not accept [STATE=RTS, CUR_STATE=SQD]");
    }

    @Test
    void whenTheStateIsUnknownThenTheChangeIsStillExplained() {
        QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.RTR);

        assertThat(transition(QueuePairType.RC, null, attributes)).contains("in state unknown");
    }

    private static String transition(QueuePairType type, QueuePairState from, QueuePairAttributes attributes) {
        return new QueuePairTransition(type, 17, from, attributes).explain();
    }
}
