package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MessageBufferTest {

    private final SlabPool pool = new SlabPool(new FakeProtectionDomain(), new MemoryBudget(1 << 30), 1_000, 64);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void shouldShowThePayloadWithoutHeadroom() {
        MessageBuffer buffer = pool.allocate();

        assertThat(buffer.isOpen()).isTrue();
        assertThat(buffer.capacity()).isEqualTo(1_000);
        assertThat(buffer.segment().byteSize()).isEqualTo(1_000);
        assertThat(buffer.length()).isZero();

        buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 42);
        RegisteredBlock block = buffer.take();
        assertThat(block.memory().get(ValueLayout.JAVA_BYTE, RegisteredBlock.HEADROOM_BYTES))
                .isEqualTo((byte) 42);
        assertThat(block.payloadAddress()).isEqualTo(block.address() + 64);
        block.free();
    }

    @Test
    void whenMetadataIsReservedThenThePayloadBeginsAfterIt() {
        try (MessageBuffer buffer = pool.allocate()) {
            buffer.metadata(10).fill((byte) 1);
            buffer.segment().fill((byte) 2);
            buffer.length(90);

            assertThat(buffer.capacity()).isEqualTo(990);
            assertThat(buffer.segment().byteSize()).isEqualTo(990);
            assertThat(buffer.byteBuffer().get(0)).isEqualTo((byte) 2);
            assertThat(buffer.length()).isEqualTo(90);
            assertThat(buffer.metadataBytes()).isEqualTo(10);
            assertThat(buffer.messageBytes()).isEqualTo(100);
            assertThatIllegalArgumentException().isThrownBy(() -> buffer.length(991));
        }
    }

    @Test
    void whenThereIsAPayloadOrMetadataThenReservingIsRejected() {
        try (MessageBuffer buffer = pool.allocate()) {
            assertThatIllegalArgumentException().isThrownBy(() -> buffer.metadata(0));
            assertThatIllegalArgumentException().isThrownBy(() -> buffer.metadata(1_001));
            buffer.metadata(10);
            assertThatIllegalStateException().isThrownBy(() -> buffer.metadata(10));
        }
        try (MessageBuffer buffer = pool.allocate()) {
            buffer.length(1);
            assertThatIllegalStateException().isThrownBy(() -> buffer.metadata(10));
        }
    }

    @Test
    void shouldReturnByteBuffersOverTheWholePayload() {
        try (MessageBuffer buffer = pool.allocate()) {
            ByteBuffer bytes = buffer.byteBuffer();
            bytes.putInt(0x01020304);

            assertThat(bytes.isDirect()).isTrue();
            assertThat(bytes.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(bytes.limit()).isEqualTo(1_000);
            assertThat(buffer.byteBuffer().position()).isZero();
            assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 4);
        }
    }

    @Test
    void shouldKeepALengthWithinTheCapacity() {
        try (MessageBuffer buffer = pool.allocate()) {
            buffer.length(1_000);
            assertThat(buffer.length()).isEqualTo(1_000);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> buffer.length(1_001))
                    .withMessage("message length of 1001 bytes: the buffer holds 0 to 1000");
            assertThatIllegalArgumentException().isThrownBy(() -> buffer.length(-1));
            assertThat(buffer.length()).isEqualTo(1_000);
        }
    }

    @Test
    void shouldBeCreatedFromABlockWithAMessage() {
        pool.grow();
        RegisteredBlock block = pool.tryTakeBlock();
        assertThatIllegalArgumentException().isThrownBy(() -> MessageBuffer.of(block, 1_001));

        MessageBuffer buffer = MessageBuffer.of(block, 10);

        assertThat(buffer.length()).isEqualTo(10);
        assertThat(buffer.take()).isSameAs(block);
        block.free();
    }

    @Test
    void whenItWasReceivedThenItHoldsTheMessageAndReleasesItOnce() {
        AtomicInteger released = new AtomicInteger();
        MemorySegment message = MemorySegment.ofArray(new byte[] {1, 2, 3}).asReadOnly();

        MessageBuffer buffer = MessageBuffer.received(message, released::incrementAndGet);

        assertThat(buffer.length()).isEqualTo(3);
        assertThat(buffer.capacity()).isEqualTo(3);
        assertThat(buffer.segment().isReadOnly()).isTrue();
        assertThat(buffer.byteBuffer().get(2)).isEqualTo((byte) 3);
        assertThat(released).hasValue(0);
        buffer.close();
        assertThat(released).hasValue(1);
        assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(buffer::close);
        assertThat(released).hasValue(1);
    }

    @Test
    void whenAReceivedMessageIsForwardedThenItsBlockBelongsToNoPool() {
        AtomicInteger released = new AtomicInteger();
        MessageBuffer buffer = MessageBuffer.received(MemorySegment.ofArray(new byte[3]), released::incrementAndGet);

        RegisteredBlock block = buffer.take();

        assertThat(pool.suits(block)).isFalse();
        assertThat(block.lendable()).isFalse();
        assertThat(released).hasValue(0);
        block.free();
        assertThat(released).hasValue(1);
        assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(block::free);
    }

    @Test
    void whenClosedThenEveryUseIsRejected() {
        MessageBuffer buffer = pool.allocate();
        buffer.close();

        assertThat(buffer.isOpen()).isFalse();
        assertThat(everyUseOf(buffer))
                .allSatisfy(use -> assertThatExceptionOfType(RdmaBufferStateException.class)
                        .isThrownBy(use)
                        .withMessageContaining("is closed"));
        assertThat(pool.statistics().blocksInUse()).isZero();
    }

    @Test
    void whenHandedOverThenEveryUseIsRejected() {
        MessageBuffer buffer = pool.allocate();
        RegisteredBlock block = buffer.take();

        assertThat(buffer.isOpen()).isFalse();
        assertThat(everyUseOf(buffer))
                .allSatisfy(use -> assertThatExceptionOfType(RdmaBufferStateException.class)
                        .isThrownBy(use)
                        .withMessageContaining("handed to the engine"));
        assertThat(pool.statistics().blocksInUse()).isEqualTo(1);
        block.free();
    }

    private static Stream<ThrowingCallable> everyUseOf(MessageBuffer buffer) {
        return Stream.of(
                buffer::segment,
                buffer::byteBuffer,
                buffer::capacity,
                buffer::length,
                () -> buffer.length(1),
                buffer::close,
                buffer::take);
    }

    @Test
    void whenTheBlockHasANewOwnerThenAStaleHandleCannotAccessIt() {
        MessageBuffer stale = pool.allocate();
        stale.close();
        MessageBuffer fresh = pool.allocate();
        long reused = fresh.segment().address();

        assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(stale::close);

        assertThat(fresh.isOpen()).isTrue();
        assertThat(fresh.segment().address()).isEqualTo(reused);
        fresh.close();
    }

    @Test
    @Timeout(60)
    void whenCloseAndTakeRaceThenExactlyOneSucceeds() throws Exception {
        MessageBuffer[] buffers = new MessageBuffer[5_000];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = pool.allocate();
        }
        AtomicInteger arrivals = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            Future<Integer> closes = executor.submit(() -> wins(buffers, arrivals, MessageBuffer::close));
            Future<Integer> takes = executor.submit(() -> wins(buffers, arrivals, MessageBuffer::take));

            assertThat(closes.get() + takes.get()).isEqualTo(buffers.length);
        }
    }

    private static int wins(MessageBuffer[] buffers, AtomicInteger arrivals, Consumer<MessageBuffer> end) {
        int wins = 0;
        for (int i = 0; i < buffers.length; i++) {
            arrivals.incrementAndGet();
            awaitBoth(arrivals, 2 * (i + 1));
            wins += attempt(end, buffers[i]);
        }
        return wins;
    }

    /** Starts two threads at the same instant, which a barrier that parks threads cannot do. */
    @SuppressWarnings("ThreadPriorityCheck") // the other thread may need this processor
    private static void awaitBoth(AtomicInteger arrivals, int expected) {
        for (int spins = 0; arrivals.get() < expected; spins++) {
            if (spins > 1_000) {
                Thread.yield();
            }
        }
    }

    private static int attempt(Consumer<MessageBuffer> end, MessageBuffer buffer) {
        try {
            end.accept(buffer);
            return 1;
        } catch (RdmaBufferStateException lost) {
            return 0;
        }
    }

    @Test
    void whenAMessageIsCopiedThenTheBufferHasItsLength() {
        try (MessageBuffer buffer = pool.allocate()) {
            buffer.metadata(4).fill((byte) 1);
            buffer.copyFrom(MemorySegment.ofArray(new byte[] {5, 6, 7, 8}), 1, 3);

            assertThat(buffer.length()).isEqualTo(3);
            assertThat(buffer.segment().asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(6, 7, 8);
        }
    }

    @Test
    void whenAMessageDoesNotFitThenItIsNotCopied() {
        try (MessageBuffer buffer = pool.allocate()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> buffer.copyFrom(MemorySegment.ofArray(new byte[2_000]), 0, 1_001))
                    .withMessage("message length of 1001 bytes: the buffer holds 0 to 1000");
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> buffer.copyFrom(MemorySegment.ofArray(new byte[10]), 5, 6));
            assertThat(buffer.length()).isZero();
        }
    }
}
