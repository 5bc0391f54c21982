package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.wire.BatchFormat;
import io.rdmarpc.rpc.wire.PacketHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Small messages to one peer that leave together share a packet")
class BatchingTest {

    private static final int HEADER = PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES;

    private final EngineRig rig = new EngineRig(64 << 20, true, false);

    @AfterEach
    void close() {
        rig.close();
    }

    private static List<Packet> split(byte[] packet) {
        List<Packet> messages = new ArrayList<>();
        int at = 0;
        while (true) {
            byte[] rest = Arrays.copyOfRange(packet, at, packet.length);
            MemorySegment memory = MemorySegment.ofArray(rest);
            int flags = PacketHeader.flags(PacketHeader.first(memory, 0));
            if ((flags & PacketHeader.FLAG_FOLLOWED) == 0) {
                messages.add(Packet.of(rest));
                return messages;
            }
            int length = PacketHeader.bytes(flags) + PacketHeader.length(PacketHeader.last(memory, 0));
            messages.add(Packet.of(Arrays.copyOf(rest, length)).withFlags(flags & ~PacketHeader.FLAG_FOLLOWED));
            at += BatchFormat.padded(length);
        }
    }

    private List<byte[]> sent() {
        return rig.nic.takeSent().stream().map(datagram -> datagram.bytes()).toList();
    }

    private Packet request(ServerSession session, int slot, int method, int... body) {
        byte[] bytes = new byte[body.length];
        for (int i = 0; i < body.length; i++) {
            bytes[i] = (byte) body[i];
        }
        return Packet.request(session, EngineRig.FIRST + slot, method, bytes);
    }

    @Test
    void whenCallsLeaveInOneCycleThenTheyShareAPacket() {
        ClientSession session = rig.client();
        for (int i = 1; i <= 3; i++) {
            rig.call(session, new byte[i]);
        }
        rig.runLoop();

        List<byte[]> packets = sent();
        assertThat(packets).hasSize(1);
        assertThat(packets.getFirst()).hasSize(3 * HEADER + 8 + 8 + 3);
        assertThat(split(packets.getFirst())).extracting(Packet::length).containsExactly(1, 2, 3);
        assertThat(rig.loop.gauges().statistics().packetsSent()).isEqualTo(1);
    }

    @Test
    void whenSessionsHaveTheSamePeerThenTheirCallsShareAPacket() {
        ClientSession one = rig.client();
        ClientSession other = rig.client();
        rig.call(one, new byte[8]);
        rig.call(other, new byte[8]);
        rig.runLoop();

        List<byte[]> packets = sent();
        assertThat(packets).hasSize(1);
        assertThat(split(packets.getFirst())).extracting(Packet::cookie).containsExactly(one.cookie, other.cookie);
    }

    @Test
    void whenACallIsAloneThenItIsSentUnchanged() {
        ClientSession session = rig.client();
        rig.call(session, new byte[8]);
        rig.runLoop();

        assertThat(sent().getFirst()).hasSize(HEADER + 8);
    }

    @Test
    @DisplayName("A call whose caller runs the loop leaves at once, without a duty cycle")
    void whenACallerWaitsThenItsCallDoesNotWaitForADutyCycle() {
        ClientSession session = rig.client();
        callAsOwner(session, 8);

        assertThat(sent().getFirst()).hasSize(HEADER + 8);
    }

    @Test
    @DisplayName("A call whose caller runs the loop leaves together with the calls that already wait")
    void whenOthersWaitForADutyCycleThenTheCallerSendsThemAsWell() {
        ClientSession session = rig.client();
        rig.call(session, new byte[1]);
        rig.call(session, new byte[2]);
        callAsOwner(session, 3);

        List<byte[]> packets = sent();
        assertThat(packets).hasSize(1);
        assertThat(split(packets.getFirst())).extracting(Packet::length).containsExactly(1, 2, 3);
    }

    @Test
    @DisplayName("A call whose caller runs the loop follows packets that wait for room in the queue")
    void whenPacketsAreStalledThenTheCallersPacketFollowsThem() {
        ClientSession session = rig.client();
        rig.nic.rejectSends(true);
        rig.call(session, new byte[1]);
        rig.runLoop();
        callAsOwner(session, 2);
        assertThat(sent()).isEmpty();

        rig.nic.rejectSends(false);
        rig.runLoop();
        assertThat(sent().stream().flatMap(packet -> split(packet).stream()))
                .extracting(Packet::length)
                .containsExactly(1, 2);
    }

    /** Calls as a caller that waits and owns the loop. */
    private void callAsOwner(ClientSession session, int length) {
        MessageBuffer request = EngineRig.filled(session.allocate(length), new byte[length]);
        session.callNow(EngineRig.ECHO, request, Duration.ofMinutes(1).toNanos(), new TestCall(), true);
    }

    @Test
    void whenAMessageIsNotSmallThenItGoesAlone() {
        ClientSession session = rig.client();
        rig.call(session, new byte[8]);
        rig.call(session, new byte[EngineRig.MTU / 2]);
        rig.call(session, new byte[8]);
        rig.runLoop();

        assertThat(sent()).hasSize(2);
    }

    @Test
    void whenThePacketIsFullThenAnotherOneFollows() {
        ClientSession one = rig.client();
        ClientSession other = rig.client();
        for (int i = 0; i < EngineRig.WINDOW; i++) {
            rig.call(one, new byte[200]);
            rig.call(other, new byte[200]);
        }
        rig.runLoop();

        List<byte[]> packets = sent();
        assertThat(packets).hasSize(2).allMatch(packet -> packet.length <= EngineRig.MTU);
        assertThat(packets.stream().mapToInt(packet -> split(packet).size()).sum())
                .isEqualTo(8);
    }

    @Test
    void whenAPacketHasSeveralRequestsThenAllAreServedAndTheirResponsesShareAPacket() {
        ServerSession session = rig.server();
        rig.receive(Packet.batch(
                request(session, 0, EngineRig.ECHO, 1),
                request(session, 1, EngineRig.ECHO, 2, 2),
                request(session, 2, EngineRig.ECHO, 3, 3, 3)));

        List<Packet> responses =
                sent().stream().flatMap(packet -> split(packet).stream()).toList();
        assertThat(responses).extracting(Packet::length).containsExactly(1, 2, 3);
        assertThat(rig.loop.gauges().statistics().packetsReceived()).isEqualTo(1);
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("FC-06 an entry that several readers share is posted again when the last of them has released it")
    void whenSeveralReadersShareAnEntryThenTheLastOneReturnsIt() {
        ServerSession session = rig.server();
        rig.receive(Packet.batch(
                request(session, 0, EngineRig.HOLD, 1),
                request(session, 1, EngineRig.HOLD, 2),
                request(session, 2, EngineRig.ECHO, 3)));
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);

        rig.held.get(1).message().close();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
        assertThat(rig.held.get(0).message().payload().get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        rig.held.get(0).message().close();
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenOneMessageHasNoSessionThenTheOthersAreServed() {
        ServerSession session = rig.server();
        rig.receive(Packet.batch(
                request(session, 0, EngineRig.ECHO, 1),
                request(session, 1, EngineRig.ECHO, 2).withCookie(7),
                request(session, 2, EngineRig.ECHO, 3)));

        assertThat(sent().stream().flatMap(packet -> split(packet).stream())).hasSize(2);
        assertThat(rig.dropped(Drop.COOKIE)).isEqualTo(1);
    }

    @Test
    void whenAMessageIsLongerThanItsPacketThenItAndWhatFollowsIsDropped() {
        ServerSession session = rig.server();
        rig.receive(Packet.batch(
                request(session, 0, EngineRig.ECHO, 1),
                request(session, 1, EngineRig.ECHO, 2).withLength(900),
                request(session, 2, EngineRig.ECHO, 3)));

        assertThat(sent()).hasSize(1);
        assertThat(rig.dropped(Drop.LENGTH)).isEqualTo(1);
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenNoMessageFollowsDespiteTheFlagThenItIsDropped() {
        ServerSession session = rig.server();
        Packet request = request(session, 0, EngineRig.ECHO, 1);
        rig.receive(request.withFlags(request.flags() | PacketHeader.FLAG_FOLLOWED));

        assertThat(sent()).isEmpty();
        assertThat(rig.dropped(Drop.SHORT)).isEqualTo(1);
    }

    @Test
    void whenTheSendQueueIsFullThenBatchedMessagesLeaveLater() {
        ClientSession session = rig.client();
        rig.nic.rejectSends(true);
        for (int cycle = 0; cycle < 3; cycle++) {
            rig.call(session, new byte[8]);
            rig.runLoop();
        }
        rig.nic.rejectSends(false);
        rig.runLoop();

        assertThat(sent().stream().mapToInt(packet -> split(packet).size()).sum())
                .isEqualTo(3);
    }

    @Test
    void whenTheSessionEndsBeforeTheFlushThenItIsReleasedNevertheless() {
        ClientSession session = rig.client();
        rig.call(session, new byte[8]);
        rig.call(session, new byte[8]);
        rig.remove(session, "over");
        rig.pass(EngineRig.TICK.multipliedBy(2));

        assertThat(rig.hostOf(session).drained).isEqualTo(1);
    }

    @Test
    @DisplayName("LO-12 damaged batches lose only messages")
    void whenBatchesAreDamagedThenTheRingStaysCompleteAndTheSessionWorks() {
        long seed = 4711;
        SplittableRandom random = new SplittableRandom(seed);
        ServerSession session = rig.server();
        byte[] whole = Packet.batch(
                request(session, 0, EngineRig.ECHO, 1, 2, 3),
                request(session, 1, EngineRig.ECHO, 4),
                request(session, 2, EngineRig.ECHO));
        for (int i = 0; i < 5_000; i++) {
            byte[] damaged = Arrays.copyOf(whole, random.nextInt(1, whole.length + 20));
            for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            rig.receive(damaged);
        }
        rig.nic.takeSent();

        assertThat(rig.dropped(Drop.INTERNAL)).as("seed %d", seed).isZero();
        assertThat(rig.nic.postedReceives()).as("seed %d", seed).isEqualTo(EngineRig.RING);
    }
}
