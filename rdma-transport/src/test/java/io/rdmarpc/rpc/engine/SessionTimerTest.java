package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("LO-13 session timers")
class SessionTimerTest {

    private static final Duration LONG = Duration.ofSeconds(1);

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void whenSessionsAreIdleThenNoneOfThemNeedsATimer() {
        for (int i = 0; i < 100; i++) {
            rig.client();
        }

        assertThat(rig.loop.needsTime()).isFalse();
        assertThat(rig.loop.timers().size()).isZero();
    }

    @Test
    void whenACallIsCompletedThenItsSessionSoonNeedsNoTimer() {
        ClientSession session = rig.client();
        TestCall call = rig.call(session, new byte[8]);
        rig.runLoop();
        rig.receive(Packet.response(session, rig.onlySent().index(), new byte[8]));
        assertThat(call.response()).hasSize(8);

        rig.pass(EngineRig.RETRANSMIT_TIMEOUT);

        assertThat(rig.loop.needsTime()).isFalse();
    }

    @Test
    void whenManyCallsAreInFlightThenASessionHasOneTimer() {
        ClientSession session = rig.client();
        for (int i = 0; i < EngineRig.WINDOW + EngineRig.BACKLOG; i++) {
            rig.call(session, new byte[8]);
        }
        rig.runLoop();

        assertThat(rig.loop.timers().size()).isEqualTo(1);
    }

    @Test
    void whenACallWithAShorterDeadlineFollowsThenItsDeadlineIsKept() {
        ClientSession session = rig.client();
        TestCall patient = rig.call(session, new byte[8], LONG);
        rig.runLoop();
        TestCall hasty = rig.call(session, new byte[8], Duration.ofMillis(3));
        rig.runLoop();

        rig.pass(Duration.ofMillis(4));

        assertThat(hasty.failure()).isInstanceOf(RdmaTimeoutException.class);
        assertThat(patient.ends()).isZero();
    }

    @Test
    void whenTheBacklogHoldsDifferentDeadlinesThenEachCallFailsAtItsOwn() {
        ClientSession session = rig.client();
        for (int i = 0; i < EngineRig.WINDOW; i++) {
            rig.call(session, new byte[8], LONG);
        }
        List<TestCall> waiting = new ArrayList<>();
        for (int millis : new int[] {9, 3, 6}) {
            waiting.add(rig.call(session, new byte[8], Duration.ofMillis(millis)));
        }
        rig.runLoop();

        rig.pass(Duration.ofMillis(4));
        assertThat(waiting).extracting(TestCall::ends).containsExactly(0, 1, 0);
        rig.pass(Duration.ofMillis(3));
        assertThat(waiting).extracting(TestCall::ends).containsExactly(0, 1, 1);
        rig.pass(Duration.ofMillis(3));
        assertThat(waiting).extracting(TestCall::ends).containsExactly(1, 1, 1);
    }

    @Test
    void whenTheSessionEndsThenItsTimerIsCancelled() {
        ClientSession session = rig.client();
        rig.call(session, new byte[8]);
        rig.runLoop();

        rig.remove(session, "over");
        rig.pass(Duration.ofMillis(2));

        assertThat(rig.loop.needsTime()).isFalse();
    }
}
