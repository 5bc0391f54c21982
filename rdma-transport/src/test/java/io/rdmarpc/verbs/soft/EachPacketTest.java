package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.soft.TestNode.Remote;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Drops, duplicates and delays each kind of packet of a reliable connection; the application sees no effect. */
@Timeout(60)
class EachPacketTest {

    private static final int SLOT = 16_384;
    private static final int LONG = 9000;
    private static final int SHORT = 700;
    private static final int OPERATIONS = 12;
    private static final long COUNTER = 15L * SLOT;

    static Stream<Arguments> everyPacketAndFault() {
        return IntStream.rangeClosed(Opcode.SEND_FIRST, Opcode.RC_FETCH_ADD)
                .boxed()
                .flatMap(opcode -> Stream.of(1, 2)
                        .flatMap(nth ->
                                Stream.of(ScriptedLink.Fault.values()).map(fault -> Arguments.of(opcode, nth, fault))));
    }

    @ParameterizedTest(name = "opcode {0}, no. {1}: {2}")
    @MethodSource("everyPacketAndFault")
    void shouldCompleteEverythingOnceAndInOrder(int opcode, int nth, ScriptedLink.Fault fault) {
        List<ScriptedLink> links = new ArrayList<>();
        try (Pair pair = Pair.over(
                        link -> scripted(links, link, opcode, nth, fault),
                        link -> scripted(links, link, opcode, nth, fault),
                        16L * SLOT)
                .connect()) {
            pair.ofB.segment().set(ValueLayout.JAVA_LONG, COUNTER, 1000);
            MemorySegment source =
                    pair.b.arena.allocate(LONG).copyFrom(pair.ofB.segment().asSlice(0, LONG));
            for (int round = 0; round < 2; round++) {
                runAll(pair, round);
                checkAll(pair, source, round);
            }
            assertThat(links).extracting(ScriptedLink::hits).contains(1);
        }
    }

    private static PacketLink scripted(
            List<ScriptedLink> links, PacketLink link, int opcode, int nth, ScriptedLink.Fault fault) {
        ScriptedLink scripted = new ScriptedLink(link, opcode, nth, fault);
        links.add(scripted);
        return scripted;
    }

    private static void runAll(Pair pair, int round) {
        TestNode a = pair.a;
        QueuePair qp = pair.qpOfA;
        for (int i = 0; i < 6; i++) {
            pair.b.receive(pair.qpOfB, i, pair.ofB, (1L + i) * SLOT, SLOT);
        }
        int id = round * 100;
        a.message(qp, id++, SendOpcode.SEND, pair.ofA, 0, LONG, Remote.NONE);
        a.message(qp, id++, SendOpcode.SEND_WITH_IMM, pair.ofA, 1, LONG, Remote.NONE);
        a.read(qp, id++, pair.ofA, 10L * SLOT, LONG, pair.ofB.address(), pair.ofB.rkey());
        a.message(qp, id++, SendOpcode.SEND, pair.ofA, 2, SHORT, Remote.NONE);
        a.message(qp, id++, SendOpcode.SEND_WITH_IMM, pair.ofA, 3, SHORT, Remote.NONE);
        a.fetchAndAdd(qp, id++, pair.ofA, 12L * SLOT, Remote.of(pair.ofB, COUNTER), 1);
        a.message(qp, id++, SendOpcode.RDMA_WRITE, pair.ofA, 4, LONG, Remote.of(pair.ofB, 7L * SLOT));
        a.message(qp, id++, SendOpcode.RDMA_WRITE_WITH_IMM, pair.ofA, 5, LONG, Remote.of(pair.ofB, 8L * SLOT));
        a.compareAndSwap(
                qp, id++, pair.ofA, 12L * SLOT + 8, Remote.of(pair.ofB, COUNTER), 1001 + 10 * round, 1010 + 10 * round);
        a.message(qp, id++, SendOpcode.RDMA_WRITE, pair.ofA, 6, SHORT, Remote.of(pair.ofB, 9L * SLOT));
        a.message(qp, id++, SendOpcode.RDMA_WRITE_WITH_IMM, pair.ofA, 7, SHORT, Remote.of(pair.ofB, 10L * SLOT));
        a.read(qp, id, pair.ofA, 11L * SLOT, SHORT, pair.ofB.address(), pair.ofB.rkey());
    }

    private static void checkAll(Pair pair, MemorySegment source, int round) {
        for (int i = 0; i < OPERATIONS; i++) {
            TestNode.Completion completion = pair.awaitA();
            assertThat(Pair.status(completion)).isEqualTo("SUCCESS (0)");
            assertThat(completion.wrId()).isEqualTo(round * 100 + i);
        }
        int[] lengths = {LONG, LONG, SHORT, SHORT, LONG, SHORT};
        for (int i = 0; i < lengths.length; i++) {
            TestNode.Completion received = pair.awaitB();
            assertThat(Pair.status(received)).isEqualTo("SUCCESS (0)");
            assertThat(received.wrId()).isEqualTo(i);
            assertThat(received.byteLength()).isEqualTo(lengths[i]);
        }
        assertThat(pair.b.next()).isNull();
        for (int i = 0; i < 4; i++) {
            same(pair, (1L + i) * SLOT, i, lengths[i]);
        }
        same(pair, 7L * SLOT, 4, LONG);
        same(pair, 8L * SLOT, 5, LONG);
        same(pair, 9L * SLOT, 6, SHORT);
        same(pair, 10L * SLOT, 7, SHORT);
        MemorySegment ofA = pair.ofA.segment();
        assertThat(MemorySegment.mismatch(ofA, 10L * SLOT, 10L * SLOT + LONG, source, 0, LONG))
                .isEqualTo(-1);
        assertThat(MemorySegment.mismatch(ofA, 11L * SLOT, 11L * SLOT + SHORT, source, 0, SHORT))
                .isEqualTo(-1);
        assertThat(ofA.get(ValueLayout.JAVA_LONG, 12L * SLOT)).isEqualTo(1000 + 10 * round);
        assertThat(ofA.get(ValueLayout.JAVA_LONG, 12L * SLOT + 8)).isEqualTo(1001 + 10 * round);
        assertThat(pair.ofB.segment().get(ValueLayout.JAVA_LONG, COUNTER)).isEqualTo(1010 + 10 * round);
    }

    private static void same(Pair pair, long at, long from, int length) {
        assertThat(MemorySegment.mismatch(pair.ofB.segment(), at, at + length, pair.ofA.segment(), from, from + length))
                .isEqualTo(-1);
    }
}
