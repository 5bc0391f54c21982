package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.StreamCredit;
import io.rdmarpc.rpc.wire.StreamOpening;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Credits of streams are entries of the receive ring")
class StreamCreditsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int METHOD = 7;
    /** Ring entries for acknowledgments of each stream. */
    private static final int UNCOUNTED = 1;

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final List<TestStream> streams = new ArrayList<>();

    @AfterEach
    void close() {
        rig.close();
    }

    private int free() {
        return rig.loop.creditPool().free();
    }

    private TestStream open(int credits) {
        TestStream stream = new TestStream();
        stream.greedy = false;
        stream.stream = session.openStream(METHOD, credits, LONG.toNanos(), stream);
        streams.add(stream);
        rig.runLoop();
        return stream;
    }

    private static StreamOpening opening(Packet packet) {
        return StreamOpening.read(MemorySegment.ofArray(packet.body()));
    }

    /** Accepts the stream as the server, without granting credits. */
    private int accept(Packet call) {
        byte[] response = new byte[StreamOpening.RESPONSE_BYTES];
        StreamOpening opening = opening(call);
        new StreamOpening(opening.stream(), 0, 0).writeResponse(MemorySegment.ofArray(response));
        rig.receive(Packet.response(session, call.index(), response));
        return opening.stream();
    }

    private void item(int stream, long sequence, boolean end) {
        rig.receive(Packet.request(session, sequence, stream, new byte[end ? 0 : 4])
                .withType(PacketType.STREAM_ITEM | PacketType.TO_CLIENT)
                .withFlags(end ? PacketHeader.FLAG_STREAM_END : 0));
    }

    private static long limit(Packet acknowledgment) {
        return StreamCredit.read(MemorySegment.ofArray(acknowledgment.body()), 0);
    }

    @Test
    @DisplayName("FC-08 ring entries for a stream's credits are reserved, and free again when the messages have "
            + "arrived")
    void whenAStreamGrantsCreditsThenEntriesAreReserved() {
        int before = free();
        open(5);
        Packet call = rig.onlySent();
        assertThat(opening(call).credits()).isEqualTo(5);
        int stream = accept(call);
        assertThat(free()).isEqualTo(before - 5 - UNCOUNTED);

        item(stream, 0, false);
        item(stream, 1, false);
        assertThat(free()).isEqualTo(before - 3 - UNCOUNTED);
        streams.getFirst().stream.request(2);
        rig.runLoop();
        assertThat(free()).isEqualTo(before - 5 - UNCOUNTED);
    }

    @Test
    @DisplayName("FC-08 when the peer has ended, its unused credits are free")
    void whenThePeerEndsThenItsUnusedCreditsAreFree() {
        int before = free();
        open(5);
        int stream = accept(rig.onlySent());
        item(stream, 0, false);
        item(stream, 1, true);

        assertThat(streams.getFirst().ends).isOne();
        assertThat(free()).isEqualTo(before - UNCOUNTED);
    }

    @Test
    @DisplayName("FC-08 for any number of streams, the credits of all together fit the ring")
    void whenManyStreamsWantCreditsThenTheRingHoldsWhatTheyMaySend() {
        int promised = 0;
        for (int i = 0; i < 20; i++) {
            open(RpcStream.MAX_CREDITS);
            Packet call = rig.onlySent();
            promised += opening(call).credits();
            accept(call);
        }

        assertThat(promised).isBetween(40, EngineRig.RING - 20 * UNCOUNTED);
        assertThat(free()).isNotNegative();
        assertThat(rig.loop.creditPool().borrowed()).isEqualTo(promised + 20 * UNCOUNTED);
    }

    @Test
    @DisplayName("FC-01 a stream that got no credits gets them after others have ended")
    void whenOthersEndThenAWaitingStreamGetsItsCredits() {
        List<Integer> numbers = new ArrayList<>();
        while (free() > 0) {
            open(RpcStream.MAX_CREDITS);
            numbers.add(accept(rig.onlySent()));
        }
        open(4);
        Packet poor = rig.onlySent();
        assertThat(opening(poor).credits()).isZero();
        accept(poor);
        rig.sent();

        item(numbers.getFirst(), 0, true);

        assertThat(rig.sent())
                .filteredOn(packet -> packet.type() == PacketType.STREAM_ACK)
                .filteredOn(packet -> packet.method() == opening(poor).stream())
                .extracting(StreamCreditsTest::limit)
                .containsExactly(1L);
    }

    @Test
    @DisplayName("FC-08 the end of the session frees the entries of its streams")
    void whenTheSessionEndsThenItsStreamsHoldNothing() {
        int all = free() + 1;
        open(9);
        rig.sent();
        rig.remove(session, "gone");

        assertThat(free()).isEqualTo(all);
        assertThat(rig.loop.creditPool().borrowed()).isZero();
    }

    @Test
    @DisplayName("FC-08 a server whose ring is almost fully lent accepts with fewer credits than its handler grants")
    void whenTheServersRingIsAlmostFullyLentThenItAcceptsWithFewerCredits() {
        ServerSession serving = rig.server();
        TestStream accepted = new TestStream();
        rig.serve(METHOD, request -> accepted.stream = request.acceptStream(20, accepted), null);
        int taken = rig.loop.creditPool().take(free() - 3 - UNCOUNTED);
        byte[] opening = new byte[StreamOpening.CALL_BYTES];
        new StreamOpening(0, 1, 1_000_000).writeCall(MemorySegment.ofArray(opening));
        rig.receive(Packet.request(serving, FIRST, METHOD, opening));

        Packet response = rig.sent().stream()
                .filter(packet -> packet.type() == PacketType.RESPONSE)
                .findFirst()
                .orElseThrow();
        assertThat(opening(response).credits())
                .as("one, so that credits remain for others")
                .isOne();
        rig.loop.creditPool().giveBack(taken);
    }
}
