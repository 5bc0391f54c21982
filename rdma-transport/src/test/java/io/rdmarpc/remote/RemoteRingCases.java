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

/** Rings: records of one producer for one consumer, on every provider and network. */
abstract class RemoteRingCases extends RemoteMemoryFixture {

    RemoteRingCases(MemoryProvider provider) {
        super(provider);
    }

    /** Keeps what comes through a ring; stands still while it is told to. */
    private static final class Records implements RingHandler {

        private final List<byte[]> records = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private final CompletableFuture<Void> mayConsume;

        /** Stands still until it may consume. */
        Records(CompletableFuture<Void> mayConsume) {
            this.mayConsume = mayConsume;
        }

        Records() {
            this(CompletableFuture.completedFuture(null));
        }

        @Override
        public void onRecord(MemorySegment record) {
            get(mayConsume);
            records.add(record.toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void onEnd(RdmaRemoteMemoryException failure) {
            end.complete(failure == null ? "closed" : failure.getMessage());
        }
    }

    @Test
    @DisplayName("FC-07 a ring: records of all lengths arrive whole and in order, many times around")
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
    @DisplayName("FC-01 a consumer that stands still: the producer has no credit, and nothing is lost")
    void whenTheConsumerStandsStillThenTheProducerHasNoRoom() throws InterruptedException {
        CompletableFuture<Void> mayConsume = new CompletableFuture<>();
        Records consumer = new Records(mayConsume);
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
            mayConsume.complete(null);
            assertThat(ring.send(MemorySegment.ofArray(pattern(100, sent)), Duration.ofSeconds(60)))
                    .isTrue();
            int all = sent + 1;
            await("all records", () -> consumer.records.size() == all);
            assertThat(consumer.records.get(sent)).isEqualTo(pattern(100, sent));
        }
    }

    @Test
    @DisplayName(
            "FC-07 a producer that closes its ring at once: the consumer still gets every record, however slow it is")
    void whenTheProducerClosesThenTheConsumerGetsTheRest() {
        CompletableFuture<Void> mayConsume = new CompletableFuture<>();
        Records consumer = new Records(mayConsume);
        peer.connect();
        try (RingReceiver receiver = owner.ring(8 * KB, consumer, LONG)) {
            RemoteRing ring = user.openRing(receiver.token());
            int count = 40;
            for (int i = 0; i < count; i++) {
                assertThat(ring.offer(MemorySegment.ofArray(pattern(50, i)))).isTrue();
            }
            CompletableFuture<Void> closing = CompletableFuture.runAsync(ring::close);
            await("the ring, given back", () -> owner.statistics().lending().regions() == 0);
            assertThat(closing).isNotDone();
            mayConsume.complete(null);
            get(closing);
            assertThat(consumer.records).hasSize(count);
            assertThat(consumer.records.getLast()).isEqualTo(pattern(50, count - 1));
        }
    }

    @Test
    @DisplayName("a ring that is closed while a record is consumed keeps its memory until the handler is done with it")
    void whenARingIsClosedUnderItsHandlerThenTheMemoryStays() {
        CompletableFuture<Void> entered = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<byte[]> seen = new CompletableFuture<>();
        peer.connect();
        RingReceiver receiver = owner.ring(
                KB,
                new RingHandler() {
                    @Override
                    public void onRecord(MemorySegment record) {
                        entered.complete(null);
                        get(goOn);
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
        await("the word of the consumer", () -> !ring.isOpen());
        assertThat(closing).isNotDone();
        goOn.complete(null);
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
        await("the word of the consumer", () -> !ring.isOpen());
        ring.close();
    }

    @Test
    @DisplayName("a handler that throws ends its ring, and is told that it was itself; the producer knows too")
    void whenAHandlerThrowsThenTheRingEndsAndNamesIt() {
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
            await("the word of the consumer", () -> !ring.isOpen());
            ring.close();
        }
        assertThat(consumed).containsExactly((byte) 0, (byte) 1);
    }

    @Test
    @DisplayName("a token of something else makes no ring, and its region goes back")
    void whenATokenIsNotOfARingThenItIsRefused() {
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
    @DisplayName("a ring that its consumer closes takes no more; one that gets a wrong record ends in words")
    void whenARingEndsThenBothSidesKnow() {
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
            await("the word of the consumer", () -> !ring.isOpen());
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(() -> ring.offer(MemorySegment.ofArray(new byte[8])));
            ring.close();

            RemoteRegion raw = user.open(wronged.token());
            raw.writeWithNotify(0, local.slice(0, 8), 5);
            assertThat(get(second.end)).contains("record 5 of 8 bytes instead of record 0");
            await("the end of the grant", () -> !raw.isUsable());
        }
    }
}
