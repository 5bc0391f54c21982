package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.StreamCredit;
import io.rdmarpc.rpc.wire.StreamOpening;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A client that sends messages after the end of its stream, which violates the protocol. Leaks are detected at the end.
 */
class StreamEndTest {

    private static final int METHOD = 7;
    private static final int STREAM = 0;
    private static final int LARGE = 20_000;

    private final EngineRig rig = new EngineRig();
    private final ServerSession session = rig.server();
    private final TestStream accepted = new TestStream();

    @BeforeEach
    void openStream() {
        rig.connect(session);
        rig.serve(METHOD, request -> accepted.stream = request.acceptStream(8, accepted), null);
        byte[] opening = new byte[StreamOpening.CALL_BYTES];
        new StreamOpening(STREAM, 8, 60_000_000).writeCall(MemorySegment.ofArray(opening));
        rig.receive(Packet.request(session, FIRST, METHOD, opening));
        rig.sent();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private static Packet ofStream(Packet packet, int type, int flags) {
        return packet.withType(type).withFlags(flags).withMethod(STREAM);
    }

    private void item(long sequence) {
        rig.receive(ofStream(Packet.request(session, sequence, 0, new byte[4]), PacketType.STREAM_ITEM, 0));
    }

    private void largeItem(long sequence) {
        Packet large = Packet.largeRequest(session, sequence, 0, LARGE, 0x7000, 1);
        rig.receive(ofStream(large, PacketType.STREAM_LARGE_ITEM, 0));
    }

    private void end(long sequence) {
        Packet end = Packet.request(session, sequence, 0, new byte[0]);
        rig.receive(ofStream(end, PacketType.STREAM_ITEM, PacketHeader.FLAG_STREAM_END));
    }

    /** Ends the server's half as well, and notifies the client. */
    private void endBoth() {
        accepted.stream.complete();
        rig.runLoop();
        byte[] credit = new byte[StreamCredit.BYTES];
        StreamCredit.write(MemorySegment.ofArray(credit), 0, 8);
        rig.receive(ofStream(Packet.request(session, 1, 0, credit), PacketType.STREAM_ACK, 0));
    }

    private boolean isOver() {
        return ((EngineStream) accepted.stream).isOver();
    }

    @Test
    @DisplayName("LO-12 a message after the end of its stream returns its ring entry when the end arrives")
    void whenAMessageFollowsTheEndThenItsRingEntryIsReturned() {
        item(5);
        end(0);

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
        assertThat(rig.dropped(Drop.STATE)).isOne();
        endBoth();
        assertThat(accepted.items).isEmpty();
        assertThat(accepted.ends).isOne();
        assertThat(isOver()).isTrue();
    }

    @Test
    @DisplayName("LO-12 a READ for a message after the end of its stream ends, and its memory is free")
    void whenALargeMessageFollowsTheEndThenItsMemoryIsFree() {
        largeItem(5);
        int reading = rig.blocksInUse();
        end(0);
        endBoth();
        assertThat(isOver()).as("while the NIC still writes").isFalse();

        rig.onlyRead().complete(new byte[LARGE], 0x7000);
        rig.runLoop();

        assertThat(isOver()).isTrue();
        assertThat(rig.blocksInUse()).isLessThan(reading);
        assertThat(rig.dropped(Drop.STATE)).isOne();
    }

    @Test
    @DisplayName("LO-12 a READ for a message after the end of its stream fails: the stream is over nevertheless")
    void whenTheReadOfAMessageAfterTheEndFailsThenTheStreamIsOver() {
        largeItem(5);
        end(0);
        endBoth();

        rig.remove(session, "gone");

        assertThat(isOver()).isTrue();
    }

    @Test
    @DisplayName("LO-12 once the end is known, messages after it and other ends are dropped")
    void whenTheEndIsKnownThenLaterMessagesAreDropped() {
        end(2);
        item(5);
        largeItem(3);
        end(1);
        end(4);

        assertThat(rig.dropped(Drop.STATE)).isEqualTo(4);
        assertThat(rig.nic.readsPosted()).isZero();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("LO-12 messages before an end that has overtaken them are delivered, those after it are not")
    void whenTheEndOvertakesMessagesThenThoseBeforeItAreDelivered() {
        item(3);
        end(2);
        List<Integer> counts = new ArrayList<>();
        for (int sequence = 0; sequence < 2; sequence++) {
            item(sequence);
            counts.add(accepted.items.size());
        }

        assertThat(counts).containsExactly(1, 2);
        assertThat(accepted.ends).isOne();
    }
}
