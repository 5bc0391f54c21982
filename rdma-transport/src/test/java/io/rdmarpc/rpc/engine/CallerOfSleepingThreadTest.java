package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The polling thread sleeps. A caller that waits for its response runs the loop in its place. */
@DisplayName("A caller while the polling thread sleeps")
class CallerOfSleepingThreadTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final Sleep sleep = new Sleep();

    /** A sleep that ends only by {@link #wake}. */
    private static final class Sleep implements IdleStrategy {

        private int holds;
        private int releases;
        private int wakes;

        @Override
        public void idle(int workCount) {
            throw new AssertionError("the polling thread runs the loop");
        }

        @Override
        public void wake() {
            wakes++;
        }

        @Override
        public boolean holdSleep() {
            holds++;
            return true;
        }

        @Override
        public void releaseSleep() {
            releases++;
        }
    }

    @BeforeEach
    void thePollingThreadSleeps() {
        rig.loop.ownership().attach(new Thread(), sleep);
    }

    @AfterEach
    void close() {
        rig.loop.ownership().detach();
        rig.close();
    }

    /** Makes a call whose response arrives in its caller's first duty cycle. */
    private void call() {
        RpcCall call = session.prepareCall(RpcCall.End.NONE);
        EngineRig.filled(call.request(8), EngineRig.bytes(8));
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(() -> rig.nic.receive(
                Packet.response(session, rig.onlySent().index(), EngineRig.bytes(3))
                        .bytes(),
                EngineRig.PEER_QPN,
                EngineRig.PEER_GID)));
        assertThat(call.call(EngineRig.ECHO, MINUTE).length()).isEqualTo(3);
        call.close();
    }

    @Test
    void whenItsCallEndsThenThePollingThreadHasSleptAllTheTime() {
        call();

        assertThat(sleep.holds).isEqualTo(1);
        assertThat(sleep.releases).isEqualTo(1);
        assertThat(sleep.wakes).isZero();
        assertThat(rig.loop.ownership().isOwned()).isFalse();
    }

    @Test
    @DisplayName("completes its call before it leaves the loop, because no other thread would do that soon")
    void whenItsCallEndsThenNothingIsDeferred() {
        call();

        assertThat(rig.loop.deferred().isDeferred()).isFalse();
        assertThat(rig.loop.context().counters().callsInProgress()).isZero();
    }

    @Test
    void whenAnotherCallIsInProgressThenThePollingThreadIsWokenAtTheEnd() {
        TestCall other = rig.call(session, EngineRig.bytes(11));
        rig.runLoop();
        long index = rig.onlySent().index();
        int before = sleep.wakes;
        call();

        assertThat(sleep.releases).isEqualTo(1);
        assertThat(sleep.wakes).isEqualTo(before + 1);
        rig.receive(Packet.response(session, index, EngineRig.bytes(3)));
        assertThat(other.response()).hasSize(3);
    }

    @Test
    void whenItsCallTakesLongThenThePollingThreadIsWoken() {
        rig.loop.callersMaxIdleCycles(100);
        try (RpcCall call = session.prepareCall(RpcCall.End.NONE)) {
            EngineRig.filled(call.request(8), EngineRig.bytes(8));
            // No thread runs the loop after the caller has left it, so the caller's own limit ends the wait.
            assertThatExceptionOfType(RdmaTimeoutException.class)
                    .isThrownBy(
                            () -> call.call(EngineRig.ECHO, Duration.ofMillis(1).toNanos()));

            assertThat(sleep.releases).isEqualTo(1);
            assertThat(sleep.wakes).isPositive();
            rig.pass(Duration.ofMillis(10));
        }
    }
}
