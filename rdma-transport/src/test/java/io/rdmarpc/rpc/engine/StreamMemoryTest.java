package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.wire.PacketHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The thread that runs the loop offers messages of a stream whose memory another thread has to register first. */
@DisplayName("A message of a stream that waits for its memory")
class StreamMemoryTest {

    private static final byte[] LARGE = EngineRig.bytes(300_000);

    private final StreamPair pair = new StreamPair();
    private final EngineRig rig = pair.client;
    private TestStream opened;

    @BeforeEach
    void sit() {
        opened = pair.open();
        assertThat(rig.loop.ownership().tryAcquire()).isTrue();
        rig.sent();
    }

    @AfterEach
    void close() {
        rig.nic.rejectMemory(false);
        rig.loop.ownership().release();
        pair.close();
    }

    private boolean saysGone() {
        return rig.sent().stream().anyMatch(packet -> (packet.flags() & PacketHeader.FLAG_STREAM_GONE) != 0);
    }

    /** Time passes without the blocking steps, which register memory. */
    private void passWithoutBlocking(Duration time) {
        for (long left = time.toMillis(); left > 0; left--) {
            rig.clock.advance(EngineRig.TICK);
            rig.runCycle();
        }
    }

    @Test
    @DisplayName("LO-10 for a long time does not count as missing acknowledgments")
    void whenItsMemoryIsLateThenTheSessionContinues() {
        opened.offer(LARGE);
        opened.offer(EngineRig.bytes(5));
        passWithoutBlocking(Duration.ofSeconds(20));
        assertThat(rig.hostOf(pair.calling).broken).isEmpty();

        pair.untilIdle();
        assertThat(pair.accepted.items).containsExactly(LARGE, EngineRig.bytes(5));
    }

    @Test
    @DisplayName("for a long time does not affect the round trip")
    void whenItsMemoryIsLateThenTheWaitIsNotMeasured() {
        List<MessageBuffer> all = new ArrayList<>();
        for (MessageBuffer next = rig.slab.tryAllocate(); next != null; next = rig.slab.tryAllocate()) {
            all.add(next);
        }
        opened.offer(EngineRig.bytes(5));
        passWithoutBlocking(Duration.ofSeconds(2));
        all.forEach(MessageBuffer::close);
        pair.untilIdle();

        assertThat(pair.accepted.items).hasSize(1);
        assertThat(pair.calling.roundTrips().quantileNanos(1))
                .isLessThan(Duration.ofMillis(100).toNanos());
    }

    @Test
    void whenItGetsNoneThenThePeerIsNotified() {
        rig.nic.rejectMemory(true);
        opened.offer(LARGE);
        rig.runLoop();

        assertThat(opened.hasFailed()).isTrue();
        assertThat(saysGone()).isTrue();
    }

    @Test
    @DisplayName("and gets none fails with a status after which callers do not repeat the call")
    void whenItGetsNoneThenTheMethodMayHaveRun() {
        rig.nic.rejectMemory(true);
        opened.offer(LARGE);
        rig.runLoop();

        assertThat(opened.failure())
                .isInstanceOf(RdmaUnavailableException.class)
                .hasMessageContaining("no memory for a message of the stream");
    }

    @Test
    @DisplayName("LT-01 and gets none after the session has ended sends nothing to the former peer")
    void whenTheSessionHasEndedMeanwhileThenNothingIsSent() {
        rig.nic.rejectMemory(true);
        opened.offer(LARGE);
        pair.calling.markClosed("the server has gone");
        rig.runLoop();

        assertThat(opened.failure()).hasMessageContaining("the server has gone");
        assertThat(saysGone()).isFalse();
    }
}
