package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rings with one producer and one consumer, on every provider and network. */
abstract class RemoteRingCases extends RemoteMemoryFixture {

    RemoteRingCases(MemoryProvider provider) {
        super(provider);
    }

    /** Records what arrives in a ring; blocks until the test allows it to consume. */
    private static final class Records implements RingHandler {

        private final List<byte[]> records = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private final CompletableFuture<Void> consumeAllowed;

        /** Blocks until the future completes. */
        Records(CompletableFuture<Void> consumeAllowed) {
            this.consumeAllowed = consumeAllowed;
        }

        Records() {
            this(CompletableFuture.completedFuture(null));
        }

        @Override
        public void onRecord(MemorySegment record) {
            get(consumeAllowed);
            records.add(record.toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void onEnd(RdmaRemoteMemoryException failure) {
            end.complete(failure == null ? "closed" : failure.getMessage());
        }
    }

    @Test
    @DisplayName("FC-07 records of all lengths arrive complete and in order, with many wrap-arounds")
    void whenRecordsGoThroughARingThenTheyArriveInOrder() throws InterruptedException {
        Records consumer = new Records();
        int count = 3_000;
        peer.connect();
        try (RingReceiver receiver = owner.ring(10_000, consumer, LONG);
                RemoteRing ring =
                        user.openRing(RegionToken.decode(receiver.token().encode()))) {
            for (int i = 0; i < count; i++) {
                byte[] record = pattern(i * 13 % ((int) ring.maxRecordBytes() + 1), i);
                assertThat(ring.send(MemorySegment.ofArray(record), Duration.ofSeconds(60)))
                        .isTrue();
            }
            await("all records", () -> consumer.records.size() == count);
            for (int i = 0; i < count; i++) {
                assertThat(consumer.records.get(i)).isEqualTo(pattern(i * 13 % ((int) ring.maxRecordBytes() + 1), i));
            }
        }
        assertThat(get(consumer.end)).isEqualTo("closed");
    }

    @Test
    @DisplayName("FC-01 while the consumer blocks, the producer has no credit, and no record is lost")
    void whenTheConsumerBlocksThenTheProducerHasNoRoom() throws InterruptedException {
        CompletableFuture<Void> consumeAllowed = new CompletableFuture<>();
        Records consumer = new Records(consumeAllowed);
        peer.connect();
        try (RingReceiver receiver = owner.ring(8 * KB, consumer, LONG);
                RemoteRing ring = user.openRing(receiver.token())) {
            int sent = 0;
            while (ring.offer(MemorySegment.ofArray(pattern(100, sent)))) {
                sent++;
            }
            assertThat(sent).isEqualTo(8 * KB / 104);
            assertThat(ring.send(MemorySegment.ofArray(pattern(100, sent)), Duration.ofMillis(20)))
                    .isFalse();
            consumeAllowed.complete(null);
            assertThat(ring.send(MemorySegment.ofArray(pattern(100, sent)), Duration.ofSeconds(60)))
                    .isTrue();
            int all = sent + 1;
            await("all records", () -> consumer.records.size() == all);
            assertThat(consumer.records.get(sent)).isEqualTo(pattern(100, sent));
        }
    }

    @Test
    @DisplayName("FC-07 after the producer has closed its ring, a slow consumer still receives every record")
    void whenTheProducerClosesThenTheConsumerReceivesTheRest() {
        CompletableFuture<Void> consumeAllowed = new CompletableFuture<>();
        Records consumer = new Records(consumeAllowed);
        peer.connect();
        try (RingReceiver receiver = owner.ring(8 * KB, consumer, LONG)) {
            RemoteRing ring = user.openRing(receiver.token());
            int count = 40;
            for (int i = 0; i < count; i++) {
                assertThat(ring.offer(MemorySegment.ofArray(pattern(50, i)))).isTrue();
            }
            CompletableFuture<Void> closing = CompletableFuture.runAsync(ring::close);
            await("release of the ring", () -> owner.statistics().lending().regions() == 0);
            assertThat(closing).isNotDone();
            consumeAllowed.complete(null);
            get(closing);
            assertThat(consumer.records).hasSize(count);
            assertThat(consumer.records.getLast()).isEqualTo(pattern(50, count - 1));
        }
    }

    @Test
    @DisplayName("a ring that is closed while a handler runs keeps its memory until the handler returns")
    void whenARingIsClosedDuringItsHandlerThenTheMemoryStays() {
        CompletableFuture<Void> entered = new CompletableFuture<>();
        CompletableFuture<Void> handlerMayReturn = new CompletableFuture<>();
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        peer.connect();
        RingReceiver receiver = owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        entered.complete(null);
                        get(handlerMayReturn);
                        seen.completeAsync(() -> record.toArray(ValueLayout.JAVA_BYTE), Runnable::run);
                    }

                    @Override
                    public void onEnd(RdmaRemoteMemoryException failure) {}
                },
                LONG);
        RemoteRing ring = user.openRing(receiver.token());
        assertThat(ring.offer(MemorySegment.ofArray(pattern(100, 1)))).isTrue();
        get(entered);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(receiver::close);
        await("end of the ring at the producer", () -> !ring.isOpen());
        assertThat(closing).isNotDone();
        handlerMayReturn.complete(null);
        assertThat(get(seen)).isEqualTo(pattern(100, 1));
        get(closing);
        ring.close();
    }

    @Test
    @DisplayName("a handler may close its own ring")
    void whenAHandlerClosesItsRingThenItEnds() {
        CompletableFuture<RingReceiver> made = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        peer.connect();
        made.complete(owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        get(made).close();
                    }

                    @Override
                    public void onEnd(RdmaRemoteMemoryException failure) {
                        end.complete(failure == null ? "closed" : failure.getMessage());
                    }
                },
                LONG));
        RemoteRing ring = user.openRing(get(made).token());
        ring.offer(MemorySegment.ofArray(pattern(100, 1)));
        assertThat(get(end)).isEqualTo("closed");
        await("end of the ring at the producer", () -> !ring.isOpen());
        ring.close();
    }

    @Test
    @DisplayName("an exception of the handler ends the ring on both sides, and is the cause of the failure")
    void whenAHandlerThrowsThenTheRingEndsWithItsException() {
        CompletableFuture<RdmaRemoteMemoryException> end = new CompletableFuture<>();
        List<Byte> consumed = new CopyOnWriteArrayList<>();
        peer.connect();
        try (RingReceiver receiver = owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        consumed.add(record.get(ValueLayout.JAVA_BYTE, 0));
                        if (consumed.size() == 2) {
                            throw new IllegalStateException("no disk");
                        }
                    }

                    @Override
                    public void onEnd(RdmaRemoteMemoryException failure) {
                        end.complete(failure);
                    }
                },
                LONG)) {
            RemoteRing ring = user.openRing(receiver.token());
            for (int i = 0; i < 4; i++) {
                ring.offer(MemorySegment.ofArray(new byte[] {(byte) i}));
            }
            assertThat(get(end))
                    .hasMessageContaining("threw java.lang.IllegalStateException: no disk at record 1")
                    .hasCauseInstanceOf(IllegalStateException.class);
            await("end of the ring at the producer", () -> !ring.isOpen());
            ring.close();
        }
        assertThat(consumed).containsExactly((byte) 0, (byte) 1);
    }

    @Test
    @DisplayName("a token that is not of a ring is rejected, and its region is freed")
    void whenATokenIsNotOfARingThenItIsRejected() {
        peer.connect();
        try (LocalRegion memory = owner.allocateLocal(KB)) {
            RegionGrant small = owner.grant(memory.slice(0, 63), RemoteRight.ALL, LONG);
            RegionGrant silent = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE), LONG);
            assertNoRing(small.token(), Reason.BOUNDS);
            assertNoRing(silent.token(), Reason.RIGHTS);
            get(small.ended());
            get(silent.ended());
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> owner.ring(63, new Records(), LONG))
                .withMessageContaining("64 bytes to 256 MiB");
    }

    private void assertNoRing(RegionToken token, Reason reason) {
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> user.openRing(token))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    @DisplayName("a ring closed by its consumer rejects records; an invalid record ends the ring with a message")
    void whenARingEndsThenBothSidesAreNotified() {
        Records first = new Records();
        Records second = new Records();
        peer.connect();
        RingReceiver closed = owner.ring(KB, first, LONG);
        try (LocalRegion local = user.allocateLocal(64);
                RingReceiver wronged = owner.ring(KB, second, LONG)) {
            RemoteRing ring = user.openRing(closed.token());
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> ring.offer(MemorySegment.ofArray(new byte[300])))
                    .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.BOUNDS));
            closed.close();
            assertThat(get(first.end)).isEqualTo("closed");
            await("end of the ring at the producer", () -> !ring.isOpen());
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> ring.offer(MemorySegment.ofArray(new byte[8])));
            ring.close();

            RemoteRegion raw = user.open(wronged.token());
            raw.writeWithNotify(0, local.slice(0, 8), 5);
            assertThat(get(second.end)).contains("record 5 of 8 bytes instead of record 0");
            await("end of the grant", () -> !raw.isUsable());
        }
    }
}
