package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits, keys and lifetimes of the objects of a context. */
@Timeout(60)
class ResourceTest {

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode node = TestNode.inMemory(network, 5001, LinkFaults.NONE, new FakeClock());

    @AfterEach
    void close() {
        node.close();
    }

    private static void assertFails(int errno, String words, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(call)
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void whenSendQueueIsFullThenNamesTheFirstThatDidNotFit() {
        TestNode gone = TestNode.inMemory(network, 5002, LinkFaults.NONE, new FakeClock());
        QueuePair qp = node.create(QueuePairType.RC, 5);
        node.connect(qp, gone, 77, 1, 1);
        for (int i = 0; i < 8; i++) {
            node.sends.set(i, i, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 0);
        }
        node.sends.chain(0, 8);
        assertThat(qp.postSend(node.sends, 0)).isEqualTo(Errno.ENOMEM);
        assertThat(node.sends.badIndex()).isEqualTo(5);
        gone.close();
    }

    @Test
    void whenReceiveQueueIsFullThenNamesTheFirstThatDidNotFit() {
        QueuePair qp = node.datagrams();
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < 40; i++) {
            node.receives.set(i, i, memory.address(), 64, memory.lkey());
        }
        node.receives.chain(0, 40);
        assertThat(qp.postReceive(node.receives, 0)).isEqualTo(Errno.ENOMEM);
        assertThat(node.receives.badIndex()).isEqualTo(32);
    }

    @Test
    void whenRequestIsInvalidThenPostFailsAndEarlierOnesAreSent() {
        QueuePair qp = node.datagrams();
        AddressHandle self = node.handleTo(node);
        for (int i = 0; i < 3; i++) {
            node.sends.set(i, i, SendOpcode.SEND, SendFlags.SIGNALED, i == 1 ? 5 : 0);
            node.sends.setDatagram(i, self.handle(), 5, 1);
        }
        node.sends.chain(0, 3);
        assertThat(qp.postSend(node.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(node.sends.badIndex()).isEqualTo(1);
        assertThat(node.next().wrId()).isZero();
        assertThat(node.next()).isNull();
    }

    @Test
    void whenInlineOnAQueuePairWithoutThenPostFails() {
        QueuePair qp = node.datagrams();
        node.sends.set(0, 1, SendOpcode.SEND, SendFlags.INLINE, 1);
        node.sends.setSge(0, 0, 0, 1, 0);
        node.sends.setDatagram(0, node.handleTo(node).handle(), 5, 1);
        node.sends.chain(0, 1);
        assertThat(qp.postSend(node.sends, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenAddressHandleIsClosedOrForeignThenPostFails() {
        QueuePair qp = node.datagrams();
        MemoryRegion memory = node.register(64);
        AddressHandle closed = node.handleTo(node);
        closed.close();
        closed.close();
        assertThat(node.send(qp, 1, memory, 8, closed, 5, 1)).isEqualTo(Errno.EINVAL);
        node.handleTo(node);
        assertThat(node.send(qp, 1, memory, 8, closed, 5, 1)).isEqualTo(Errno.EINVAL);
        AddressHandle foreign = node.context.allocateProtectionDomain().createAddressHandle(node.routeTo(node));
        assertThat(node.send(qp, 1, memory, 8, foreign, 5, 1)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenReadsAreNotNegotiatedThenPostFails() {
        node.maxReads = 0;
        QueuePair qp = node.create(QueuePairType.RC);
        node.connect(qp, node, 77, 1, 1);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        assertThat(node.read(qp, 1, memory, 0, 8, 0, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenMessageIsTooLongThenPostFails() {
        QueuePair qp = node.create(QueuePairType.RC);
        node.connect(qp, node, 77, 1, 1);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        assertThat(node.read(qp, 1, memory, 0, (1 << 30) + 1, 0, 0)).isEqualTo(Errno.EMSGSIZE);
        assertThat(node.read(qp, 1, memory, 0, -1, 0, 0)).isEqualTo(Errno.EMSGSIZE);
    }

    @Test
    void whenAtomicIsNotEightBytesThenPostFails() {
        QueuePair qp = node.create(QueuePairType.RC);
        node.connect(qp, node, 77, 1, 1);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        node.sends.set(0, 1, SendOpcode.ATOMIC_FETCH_AND_ADD, 0, 1);
        node.sends.setSge(0, 0, memory.address(), 4, memory.lkey());
        node.sends.chain(0, 1);
        assertThat(qp.postSend(node.sends, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenSlotsAreReusedThenKeysAreNew() {
        Set<Integer> keys = new HashSet<>();
        MemorySegment memory = node.arena.allocate(64);
        for (int i = 0; i < 100; i++) {
            MemoryRegion region = node.domain.registerMemory(memory, EnumSet.of(AccessFlag.REMOTE_READ));
            assertThat(region.lkey()).isNotZero().isNotEqualTo(region.rkey());
            keys.add(region.lkey());
            keys.add(region.rkey());
            region.close();
            region.close();
        }
        assertThat(keys).hasSizeGreaterThan(190);
    }

    @Test
    void shouldRejectMemoryThatCannotBeRegistered() {
        assertFails(
                Errno.EFAULT, "heap", () -> node.domain.registerMemory(MemorySegment.ofArray(new byte[8]), Set.of()));
        assertFails(Errno.EFAULT, "0 bytes", () -> node.domain.registerMemory(MemorySegment.NULL, Set.of()));
        assertFails(
                Errno.EACCES,
                "read-only",
                () -> node.domain.registerMemory(node.arena.allocate(8).asReadOnly(), Set.of(AccessFlag.LOCAL_WRITE)));
        assertFails(
                Errno.EINVAL,
                "LOCAL_WRITE",
                () -> node.domain.registerMemory(node.arena.allocate(8), Set.of(AccessFlag.REMOTE_WRITE)));
    }

    @Test
    void shouldNameTheCapabilityThatIsTooLarge() {
        assertFails(Errno.EINVAL, "max_send_wr 32769", () -> create(new QueuePairCapabilities(32_769, 1, 1, 1, 0)));
        assertFails(Errno.EINVAL, "max_recv_wr -1", () -> create(new QueuePairCapabilities(1, -1, 1, 1, 0)));
        assertFails(Errno.EINVAL, "max_send_sge 17", () -> create(new QueuePairCapabilities(1, 1, 17, 1, 0)));
        assertFails(Errno.EINVAL, "max_inline_data 257", () -> create(new QueuePairCapabilities(1, 1, 1, 1, 257)));
    }

    private QueuePair create(QueuePairCapabilities capabilities) {
        return node.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.UD, node.cq, node.cq, capabilities, false));
    }

    @Test
    void shouldRejectCompletionQueueOfAnotherDevice() {
        try (TestNode other = TestNode.inMemory(network, 5002, LinkFaults.NONE, new FakeClock())) {
            QueuePairConfig config = new QueuePairConfig(
                    QueuePairType.UD, other.cq, node.cq, new QueuePairCapabilities(1, 1, 1, 1, 0), false);
            assertFails(Errno.EINVAL, "another device", () -> node.domain.createQueuePair(config));
        }
    }

    @Test
    void shouldGiveEachQueuePairAUniqueNumber() {
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            QueuePair qp = create(new QueuePairCapabilities(1, 1, 1, 1, 0));
            assertThat(qp.number()).isBetween(2, 0xFF_FFFE);
            assertThat(numbers.add(qp.number())).isTrue();
            if (i % 2 == 0) {
                qp.close();
            }
        }
    }

    @Test
    void whenCompletionQueueIsClosedThenItsQueuePairsAreToo() {
        CompletionQueue cq = node.context.createCompletionQueue(1);
        QueuePairConfig config =
                new QueuePairConfig(QueuePairType.UD, node.cq, cq, new QueuePairCapabilities(1, 1, 1, 1, 0), false);
        QueuePair qp = node.domain.createQueuePair(config);
        cq.close();
        cq.close();
        assertFails(Errno.EINVAL, "closed", () -> qp.modify(new QueuePairAttributes().state(QueuePairState.ERR)));
        assertFails(Errno.EINVAL, "The completion queue is closed", () -> node.domain.createQueuePair(config));
        assertThat(cq.poll(WorkCompletions.allocate(node.arena, 1), 1)).isEqualTo(-Errno.EINVAL);
        assertThat(node.cq.poll(WorkCompletions.allocate(node.arena, 1), 1)).isZero();
    }

    @Test
    void whenProtectionDomainIsClosedThenItsObjectsAreToo() {
        QueuePair qp = node.datagrams();
        MemoryRegion memory = node.register(64);
        AddressHandle handle = node.handleTo(node);
        node.domain.close();
        node.domain.close();
        assertFails(Errno.EINVAL, "closed", () -> qp.modify(new QueuePairAttributes().state(QueuePairState.ERR)));
        assertFails(Errno.EINVAL, "The protection domain is closed", () -> node.register(64));
        assertFails(Errno.EINVAL, "The protection domain is closed", () -> node.handleTo(node));
        assertFails(Errno.EINVAL, "The protection domain is closed", node::datagrams);
        memory.close();
        handle.close();
        qp.close();
    }

    @Test
    void whenContextIsClosedThenEverythingIs() {
        QueuePair qp = node.datagrams();
        MemoryRegion memory = node.register(64);
        node.context.close();
        node.context.close();
        assertThat(node.receive(qp, 1, memory, 0, 64)).isEqualTo(Errno.EINVAL);
        assertThat(node.cq.poll(WorkCompletions.allocate(node.arena, 1), 1)).isEqualTo(-Errno.EINVAL);
        assertFails(Errno.EINVAL, "The device is closed", () -> node.context.createCompletionQueue(1));
        assertFails(Errno.EINVAL, "The device is closed", node.context::allocateProtectionDomain);
        node.domain.close();
        node.cq.close();
    }

    @Test
    void whenQueuePairIsClosedThenItAcceptsNothing() {
        QueuePair qp = node.datagrams();
        qp.close();
        assertThat(node.send(qp, 1, node.register(64), 8, node.handleTo(node), 5, 1))
                .isEqualTo(Errno.EINVAL);
        assertFails(Errno.EINVAL, "closed", () -> qp.modify(new QueuePairAttributes().state(QueuePairState.ERR)));
    }

    @Test
    void whenCompletionQueueOverrunsThenFailsAfterTheLastCompletion() {
        CompletionQueue small = node.context.createCompletionQueue(3);
        QueuePair qp = node.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.UD, small, small, new QueuePairCapabilities(8, 1, 1, 1, 0), true));
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        MemoryRegion memory = node.register(64);
        for (int i = 0; i < 4; i++) {
            node.send(qp, i, memory, 8, node.handleTo(node), 5, 1);
        }
        WorkCompletions completions = WorkCompletions.allocate(node.arena, 8);
        assertThat(small.poll(completions, 8)).isEqualTo(3);
        assertThat(completions.wrId(2)).isEqualTo(2);
        assertThat(small.poll(completions, 8)).isEqualTo(-Errno.EIO);
        assertThat(node.counters().completionOverruns()).isEqualTo(1);
    }
}
