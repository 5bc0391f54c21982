package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.soft.ud.ShmChannelTable;
import io.rdmarpc.verbs.soft.ud.UdQueuePair;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A shared-memory path that was removed")
@Timeout(60)
class RemovedShmPathTest {

    private final TestNode node = TestNode.inMemory(new MemoryNetwork(), 5001, LinkFaults.NONE, new FakeClock());
    private final QueuePairTable queuePairs = new QueuePairTable(new SplittableRandom(42));
    private final ShmChannelTable paths = new ShmChannelTable(queuePairs);
    private final UdQueuePair qp = queuePair();
    private final RnicContext rnic = qp.rnic();
    private final ShmDatagramChannel channel = Objects.requireNonNull(qp.datagramChannel());
    private final Path first = new Path();
    private final Path second = new Path();

    private UdQueuePair queuePair() {
        SoftCompletionQueue cq = (SoftCompletionQueue) node.cq;
        QueuePairConfig config =
                new QueuePairConfig(QueuePairType.UD, cq, cq, new QueuePairCapabilities(1, 1, 1, 1, 0), false);
        DomainContext domain = ((SoftProtectionDomain) node.domain).context();
        QueuePairParts parts = new QueuePairParts(domain, queuePairs.nextNumber(), config, cq, cq, closed -> {});
        UdQueuePair made = new UdQueuePair(parts, new AddressHandleTable(), (_, _, _, _, _) -> {});
        queuePairs.add(made);
        return made;
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** A path without packets, whose memory is gone when it is closed. */
    private static final class Path implements ShmPathReader {

        private volatile boolean closed;
        private volatile boolean readAfterClose;

        @Override
        public int first(int max) {
            readAfterClose |= closed;
            return 0;
        }

        @Override
        public int next() {
            return 0;
        }

        @Override
        public void finish() {}

        @Override
        public long address() {
            throw new AssertionError("the path has no packet");
        }

        @Override
        public long sourceHigh() {
            throw new AssertionError("the path has no packet");
        }

        @Override
        public long sourceLow() {
            throw new AssertionError("the path has no packet");
        }

        @Override
        public void handTo(LinkPacketHandler handler) {
            throw new AssertionError("the path has no packet");
        }

        @Override
        public boolean hasNext() {
            return false;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void locked(Runnable step) {
        rnic.lock();
        try {
            step.run();
        } finally {
            rnic.unlock();
        }
    }

    private void poll() {
        int _ = channel.poll(
                new ShmDatagramChannel.Receiver() {
                    @Override
                    public MemorySegment memory() {
                        return MemorySegment.NULL;
                    }

                    @Override
                    public long room(int bytes) {
                        return -1;
                    }

                    @Override
                    public void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow) {
                        throw new AssertionError("no packet was sent");
                    }
                },
                16);
    }

    private void addBoth() {
        locked(() -> {
            assertThat(paths.take(qp.number(), first)).isTrue();
            assertThat(paths.take(qp.number(), second)).isTrue();
        });
        poll();
    }

    @Test
    @DisplayName("is closed by its reader, and not read after that")
    void whenItIsRemovedThenItsReaderClosesIt() {
        addBoth();
        locked(() -> paths.lose(first));
        assertThat(first.closed).isFalse();

        poll();
        poll();

        assertThat(first.closed).isTrue();
        assertThat(first.readAfterClose).isFalse();
        assertThat(second.closed).isFalse();
    }

    @Test
    @DisplayName("while its reader waits for the lock, because of another one, is not read after it is closed")
    void whenItIsRemovedWhileItsReaderWaitsThenItIsNotRead() throws InterruptedException {
        addBoth();
        Thread[] reader = new Thread[1];
        locked(() -> {
            paths.lose(first);
            reader[0] = Thread.ofPlatform().start(this::poll);
            while (reader[0].getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            paths.lose(second);
        });
        reader[0].join();

        poll();

        assertThat(first.closed).isTrue();
        assertThat(second.closed).isTrue();
        assertThat(first.readAfterClose).isFalse();
        assertThat(second.readAfterClose).isFalse();
    }
}
