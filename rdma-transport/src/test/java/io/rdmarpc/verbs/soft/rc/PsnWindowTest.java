package io.rdmarpc.verbs.soft.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The orders in which packets may arrive: in order, early, duplicate, late; PSNs wrap after the fourth packet. */
class PsnWindowTest {

    private static final int FIRST = 0xFF_FFFC;

    private final PsnWindow window = new PsnWindow();

    PsnWindowTest() {
        window.start(FIRST);
        window.use(20);
    }

    private static int psn(int index) {
        return FIRST + index & 0xFF_FFFF;
    }

    private int arrive(int... indexes) {
        int advanced = 0;
        for (int index : indexes) {
            assertThat(window.isMissing(psn(index))).isTrue();
            window.arrived(psn(index));
            window.repairUpTo(psn(index));
            while (window.advance()) {
                advanced++;
            }
        }
        return advanced;
    }

    private void expectRepair(int index, int packets) {
        assertThat(window.isRepairing()).isTrue();
        assertThat(window.repair()).isEqualTo(psn(index));
        assertThat(window.repairRun(100)).isEqualTo(packets);
        window.repaired(packets);
    }

    @Test
    void whenInOrderThenAdvancesAndRepairsNothing() {
        assertThat(arrive(0, 1, 2, 3, 4, 5)).isEqualTo(6);
        assertThat(window.expected()).isEqualTo(psn(6));
        assertThat(window.waiting()).isEqualTo(14);
        assertThat(window.isRepairing()).isFalse();
    }

    @Test
    void whenEarlyThenRequestsEachMissingRunOnce() {
        assertThat(arrive(0, 3, 5, 6, 10)).isEqualTo(1);
        expectRepair(1, 2);
        expectRepair(4, 1);
        expectRepair(7, 3);
        assertThat(window.isRepairing()).isFalse();
        arrive(11);
        assertThat(window.isRepairing()).isFalse();
        assertThat(arrive(1, 2, 4)).isEqualTo(6);
        assertThat(window.expected()).isEqualTo(psn(7));
    }

    @Test
    void whenArrivedThenIsNoLongerMissing() {
        arrive(0, 2);
        assertThat(window.isMissing(psn(0))).isFalse();
        assertThat(window.isMissing(psn(2))).isFalse();
        assertThat(window.isMissing(psn(1))).isTrue();
        assertThat(window.isMissing(psn(19))).isTrue();
        assertThat(window.isMissing(psn(20))).isFalse();
        assertThat(window.isMissing(psn(-1))).isFalse();
    }

    @Test
    void whenMissingArrivesBeforeItWasRequestedThenIsNotRepaired() {
        arrive(2, 0, 1);
        assertThat(window.isRepairing()).isFalse();
    }

    @Test
    void shouldBoundRuns() {
        arrive(9);
        assertThat(window.isRepairing()).isTrue();
        assertThat(window.repairRun(4)).isEqualTo(4);
    }

    @Test
    void whenRepairedFromAPsnThenAllThatIsMissingAfterItIsSentAgain() {
        arrive(0, 3, 17);
        expectRepair(1, 2);
        window.repairFrom(psn(2));
        expectRepair(2, 1);
        expectRepair(4, 13);
        expectRepair(18, 2);
        assertThat(window.isRepairing()).isFalse();
    }

    @Test
    void whenRepairedFromALaterPsnThenEarlierRepairsStay() {
        arrive(3);
        window.repairFrom(psn(10));
        expectRepair(0, 3);
        expectRepair(4, 16);
    }

    @Test
    void whenOnlyTheFirstIsRepairedThenTheRestFollowsOnRequest() {
        arrive(0, 3);
        window.repairFirst(psn(2));
        assertThat(window.isLastRepair(psn(1))).isTrue();
        expectRepair(1, 1);
        assertThat(window.isRepairing()).isFalse();
        window.repairRest();
        expectRepair(2, 1);
        expectRepair(4, 16);
    }

    @Test
    void whenManyAreAcknowledgedAtOnceThenAdvancesOverAll() {
        window.arrived(psn(0), psn(7));
        int advanced = 0;
        while (window.advance()) {
            advanced++;
        }
        assertThat(advanced).isEqualTo(7);
        assertThat(window.expected()).isEqualTo(psn(7));
    }

    @Test
    void whenForgottenThenNothingIsMissing() {
        arrive(3);
        window.forget();
        assertThat(window.isWaiting()).isFalse();
        assertThat(window.isRepairing()).isFalse();
        window.start(FIRST);
        window.use(5);
        assertThat(window.isMissing(psn(3))).isTrue();
    }
}
