package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.wire.PacketHeader;
import java.time.Duration;
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
        assertThat(rig.loop.seat().tryTake()).isTrue();
        rig.sent();
    }

    @AfterEach
    void close() {
        rig.nic.refuseMemory(false);
        rig.loop.seat().leave();
        pair.close();
    }

    private boolean saysGone() {
        return rig.sent().stream().anyMatch(packet -> (packet.flags() & PacketHeader.FLAG_STREAM_GONE) != 0);
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
