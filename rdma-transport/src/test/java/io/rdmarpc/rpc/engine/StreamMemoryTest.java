package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.wire.PacketHeader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The thread that turns the loop offers messages of a stream whose memory has to be registered elsewhere first. */
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
        rig.nic.refuseMemory(false);
        rig.loop.ownership().release();
        pair.close();
    }

    private boolean saysGone() {
        return rig.sent().stream().anyMatch(packet -> (packet.flags() & PacketHeader.FLAG_STREAM_GONE) != 0);
    }

    /** Time passes, but whoever registers memory is slow. */
    private void passWithoutBlocking(Duration time) {
        for (long left = time.toMillis(); left > 0; left--) {
            rig.clock.advance(EngineRig.TICK);
            rig.turnOnce();
        }
    }

    @Test
    @DisplayName("LO-10 for long is not taken for a silent peer")
    void whenItsMemoryComesLateThenTheSessionLives() {
        opened.offer(LARGE);
        opened.offer(EngineRig.bytes(5));
        passWithoutBlocking(Duration.ofSeconds(20));
        assertThat(rig.hostOf(pair.calling).broken).isEmpty();

        pair.settle();
        assertThat(pair.accepted.items).containsExactly(LARGE, EngineRig.bytes(5));
    }

    @Test
    @DisplayName("for long says nothing about the round trip")
    void whenItsMemoryComesLateThenTheWaitIsNotMeasured() {
        List<MessageBuffer> all = new ArrayList<>();
        for (MessageBuffer next = rig.slab.tryAllocate(); next != null; next = rig.slab.tryAllocate()) {
            all.add(next);
        }
        opened.offer(EngineRig.bytes(5));
        passWithoutBlocking(Duration.ofSeconds(2));
        all.forEach(MessageBuffer::close);
        pair.settle();

        assertThat(pair.accepted.items).hasSize(1);
        assertThat(pair.calling.roundTrips().quantileNanos(1))
                .isLessThan(Duration.ofMillis(100).toNanos());
    }

    @Test
    void whenItGetsNoneThenThePeerIsTold() {
        rig.nic.refuseMemory(true);
        opened.offer(LARGE);
        rig.turn();

        assertThat(opened.hasFailed()).isTrue();
        assertThat(saysGone()).isTrue();
    }

    @Test
    @DisplayName("LT-01 and gets none when the session has ended says nothing to a peer that is no more")
    void whenTheSessionHasEndedMeanwhileThenNothingIsSent() {
        rig.nic.refuseMemory(true);
        opened.offer(LARGE);
        pair.calling.markClosed("the server has gone");
        rig.turn();

        assertThat(opened.failure()).hasMessageContaining("the server has gone");
        assertThat(saysGone()).isFalse();
    }
}
