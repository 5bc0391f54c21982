package io.rdmarpc.verbs.soft.link.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultyLinkTest {

    private static final int PACKETS = 20_000;
    private static final long DELAY_NANOS = 1_000;
    private static final LinkAddress ANYWHERE = LinkAddress.of(new Gid(0, 0xFFFF_7F00_0001L), 4791, 4791);

    private final RecordingLink sent = new RecordingLink();
    private long now;

    /** Records the sent packets; each test packet contains its number. */
    private static final class RecordingLink implements PacketLink {
        private final List<Integer> numbers = new ArrayList<>();

        @Override
        public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
            return numbers.add(packet.bytes().getInt(0));
        }

        @Override
        public int poll(int max, LinkPacketHandler handler) {
            return 0;
        }

        @Override
        public int port() {
            return 0;
        }

        @Override
        public int receiveWindowBytes() {
            return 0;
        }

        @Override
        public void close() {
            numbers.clear();
        }
    }

    private List<Integer> send(LinkFaults faults, int packets) {
        sent.numbers.clear();
        FaultyLink link = new FaultyLink(sent, faults, () -> now);
        PacketBuffer packet = new PacketBuffer();
        for (int i = 0; i < packets; i++) {
            packet.length(64);
            packet.bytes().putInt(0, i);
            assertThat(link.send(0, ANYWHERE, packet)).isTrue();
        }
        now += DELAY_NANOS;
        link.poll(1, (_, _, _, _, _) -> {});
        return List.copyOf(sent.numbers);
    }

    private static LinkFaults faults(double loss, double duplicate, double reorder, double delay, double corrupt) {
        return new LinkFaults(loss, duplicate, reorder, delay, corrupt, DELAY_NANOS, 42);
    }

    private static List<Integer> inOrder(int packets) {
        return IntStream.range(0, packets).boxed().toList();
    }

    @Test
    void whenTheScriptHasAnEventThenThePacketIsSentAndTheEventIsReported() {
        List<AsyncEventType> events = new ArrayList<>();
        FaultScript script = FaultScript.parse("test", "port_err 2 any; qp_fatal 4-5 any; device_fatal 6 any");
        FaultyLink link = new FaultyLink(sent, faults(0, 0, 0, 0, 0).withScript(script), () -> now);
        link.setEventListener((type, _) -> events.add(type));
        PacketBuffer packet = new PacketBuffer();
        for (int i = 0; i < 7; i++) {
            packet.length(64);
            packet.bytes().putInt(0, i);
            link.send(0, ANYWHERE, packet);
        }

        assertThat(sent.numbers).isEqualTo(inOrder(7));
        assertThat(events)
                .containsExactly(
                        AsyncEventType.PORT_ERR,
                        AsyncEventType.QP_FATAL,
                        AsyncEventType.QP_FATAL,
                        AsyncEventType.DEVICE_FATAL);
    }

    @Test
    void whenNoFaultsThenSendsEverything() {
        assertThat(send(LinkFaults.NONE, 100)).isEqualTo(inOrder(100));
    }

    @Test
    void shouldDropTheConfiguredFraction() {
        List<Integer> arrived = send(faults(0.1, 0, 0, 0, 0), PACKETS);
        assertThat(arrived).isSorted().doesNotHaveDuplicates();
        assertThat((double) arrived.size()).isCloseTo(PACKETS * 0.9, within(PACKETS * 0.01));
    }

    @Test
    void shouldDuplicateTheConfiguredFraction() {
        List<Integer> arrived = send(faults(0, 0.1, 0, 0, 0), PACKETS);
        assertThat(arrived).isSorted();
        assertThat((double) arrived.size()).isCloseTo(PACKETS * 1.1, within(PACKETS * 0.01));
    }

    @Test
    void shouldReorderByAFewPlacesAndLoseNone() {
        List<Integer> arrived = send(faults(0, 0, 0.1, 0, 0), PACKETS);
        assertThat(arrived).hasSize(PACKETS).doesNotHaveDuplicates();
        assertThat(arrived).isNotEqualTo(inOrder(PACKETS));
        for (int i = 0; i < PACKETS; i++) {
            assertThat(Math.abs(arrived.get(i) - i)).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void shouldDelayByTheClock() {
        List<Integer> arrived = send(faults(0, 0, 0, 1, 0), 10);
        assertThat(arrived).isEqualTo(inOrder(10));
        now -= 1;
        sent.numbers.clear();
        FaultyLink link = new FaultyLink(sent, faults(0, 0, 0, 1, 0), () -> now);
        PacketBuffer packet = new PacketBuffer();
        packet.length(64);
        link.send(0, ANYWHERE, packet);
        now += DELAY_NANOS - 1;
        link.poll(1, (_, _, _, _, _) -> {});
        assertThat(sent.numbers).isEmpty();
        now += 1;
        link.poll(1, (_, _, _, _, _) -> {});
        assertThat(sent.numbers).hasSize(1);
    }

    @Test
    void shouldChangeOneBitOfACopy() {
        PacketBuffer packet = new PacketBuffer();
        packet.length(4);
        packet.bytes().putInt(0, 0);
        new FaultyLink(sent, faults(0, 0, 0, 0, 1), () -> now).send(0, ANYWHERE, packet);
        assertThat(Integer.bitCount(sent.numbers.getFirst())).isEqualTo(1);
        assertThat(packet.bytes().getInt(0)).isZero();
    }

    @Test
    void whenSameSeedThenSameFaults() {
        LinkFaults mixed = faults(0.2, 0.2, 0.2, 0, 0);
        assertThat(send(mixed, 1000)).isEqualTo(send(mixed, 1000));
    }
}
