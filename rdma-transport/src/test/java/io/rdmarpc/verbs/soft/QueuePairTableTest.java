package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.soft.ud.UdQueuePair;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The numbers of queue pairs")
@Timeout(60)
class QueuePairTableTest {

    private static final int SLOTS = QueuePairTable.MAX_QUEUE_PAIRS;

    private final TestNode node = TestNode.inMemory(new MemoryNetwork(), 5001, LinkFaults.NONE, new FakeClock());
    private final QueuePairTable table = new QueuePairTable(new SplittableRandom(42));

    @AfterEach
    void close() {
        node.close();
    }

    private SoftQueuePair add() {
        SoftCompletionQueue cq = (SoftCompletionQueue) node.cq;
        QueuePairConfig config =
                new QueuePairConfig(QueuePairType.UD, cq, cq, new QueuePairCapabilities(1, 1, 1, 1, 0), false);
        DomainContext domain = ((SoftProtectionDomain) node.domain).context();
        QueuePairParts parts = new QueuePairParts(domain, table.nextNumber(), config, cq, cq, closed -> {});
        SoftQueuePair qp = new UdQueuePair(parts, new AddressHandleTable(), null);
        table.add(qp);
        return qp;
    }

    @Test
    @DisplayName("do not reveal the next one")
    void shouldDrawNumbersFromAll() {
        int ones = 0;
        int zeros = 0;
        Set<Integer> steps = new HashSet<>();
        int last = 0;
        for (int i = 0; i < 500; i++) {
            int number = add().number();
            assertThat(number).isBetween(2, 0xFF_FFFE);
            ones |= number;
            zeros |= ~number;
            steps.add(number - last);
            last = number;
        }
        assertThat(ones).isEqualTo(0xFF_FFFF);
        assertThat(zeros & 0xFF_FFFF).isEqualTo(0xFF_FFFF);
        assertThat(steps).hasSizeGreaterThan(490);
    }

    @Test
    @DisplayName("are found as long as the queue pair is open, also in a full table")
    void shouldFindAllOfThem() {
        List<SoftQueuePair> all = new ArrayList<>();
        while (!table.isFull()) {
            all.add(add());
        }
        assertThat(all).hasSize(SLOTS);
        for (SoftQueuePair qp : all) {
            assertThat(table.find(qp.number())).isSameAs(qp);
        }
        SoftQueuePair gone = all.get(SLOTS / 2);
        table.remove(gone);
        assertThat(table.find(gone.number())).isNull();
        SoftQueuePair successor = add();
        assertThat(successor.number() & SLOTS - 1).as("the only slot").isEqualTo(gone.number() & SLOTS - 1);
        assertThat(table.find(gone.number())).isNull();
        assertThat(table.find(successor.number())).isSameAs(successor);
    }

    @Test
    @DisplayName("are used again only after a thousand other numbers of their slot")
    void whenASlotIsUsedAgainThenTheNumberDiffers() {
        while (!table.isFull()) {
            add();
        }
        QueuePair last = table.find(add(firstOf()).number());
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            table.remove((SoftQueuePair) last);
            last = add();
            assertThat(numbers.add(last.number())).isTrue();
        }
    }

    /** Removes a queue pair from a full table and returns it. */
    private SoftQueuePair firstOf() {
        for (int number = 0; ; number++) {
            SoftQueuePair qp = table.find(number);
            if (qp != null) {
                table.remove(qp);
                return qp;
            }
        }
    }

    private SoftQueuePair add(SoftQueuePair insteadOf) {
        SoftQueuePair qp = add();
        assertThat(qp.number()).isNotEqualTo(insteadOf.number());
        return qp;
    }

    @Test
    @DisplayName("differ from RNIC to RNIC")
    void shouldStartAtRandom() {
        Set<Integer> firsts = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            firsts.add(new QueuePairTable().nextNumber());
        }
        assertThat(firsts).hasSizeGreaterThan(95);
    }
}
