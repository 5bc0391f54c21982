package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two ends of one provider, opened through the public API. Cases reuse connections by a transition to RESET, because
 * the kernel needs a third of a second to destroy a connected queue pair.
 */
final class VerbsFixture implements AutoCloseable {

    static final int PORT = 1;

    /** Maximum size of the suite's messages in bytes. */
    static final int LONGEST = 1 << 20;

    /** Size of each end's memory in bytes. */
    static final int BYTES = LONGEST + 8192;

    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    /** One of the two ends. Both are contexts of the same device if a device reaches only itself. */
    final End here;

    final End there;
    final MemoryRegion local;
    final MemoryRegion remote;
    private final Map<QueuePairType, Connection> connections = new EnumMap<>(QueuePairType.class);
    private final List<AutoCloseable> ofThisCase = new ArrayList<>();
    private @Nullable QueuePair sender;
    private @Nullable QueuePair receiver;

    VerbsFixture(SuiteProvider provider) {
        here = new End(provider);
        there = new End(provider);
        local = here.register(BYTES, End.EVERYTHING);
        remote = there.register(BYTES, End.EVERYTHING);
    }

    // ---- queue pairs ----

    /** Returns a connection in RTS, in the state of a new one. */
    Connection connection(QueuePairType type) {
        return pooled(type).connect();
    }

    /** Returns the same connection without connecting it. */
    Connection pooled(QueuePairType type) {
        return connections.computeIfAbsent(type, t -> new Connection(this, here.create(t), there.create(t)));
    }

    /** Returns a datagram queue pair in RTS, in the state of a new one. */
    QueuePair sender() {
        sender = again(here, sender);
        return sender;
    }

    QueuePair receiver() {
        receiver = again(there, receiver);
        return receiver;
    }

    private static QueuePair again(End end, @Nullable QueuePair qp) {
        QueuePair datagrams = qp == null ? end.create(QueuePairType.UD) : qp;
        reset(datagrams);
        end.drain();
        return end.ready(datagrams);
    }

    static void reset(QueuePair qp) {
        qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    }

    static void fail(QueuePair qp) {
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }

    /** Closes an object at the end of the case. */
    <T extends AutoCloseable> T closing(T what) {
        ofThisCase.add(what);
        return what;
    }

    void endCase() throws Exception {
        for (AutoCloseable what : ofThisCase.reversed()) {
            what.close();
        }
        ofThisCase.clear();
        here.drain();
        there.drain();
    }

    // ---- waiting ----

    /** Polls both ends until a condition holds. */
    void await(BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            here.poll();
            there.poll();
            assertThat(System.nanoTime() - end).as(what.get()).isNegative();
        }
    }

    /** Waits for the end's next completion. */
    Completion next(End end) {
        Completion[] found = new Completion[1];
        await(() -> (found[0] = end.take()) != null, () -> "a completion arrives");
        return Objects.requireNonNull(found[0]);
    }

    Completion next(End end, String status) {
        Completion completion = next(end);
        assertThat(completion.statusText()).as("%s", completion).isEqualTo(status);
        return completion;
    }

    Completion success(End end, long wrId) {
        Completion completion = next(end, "SUCCESS (0)");
        assertThat(completion.wrId()).isEqualTo(wrId);
        return completion;
    }

    void awaitState(QueuePair qp, QueuePairState state) {
        await(() -> qp.queryState() == state, () -> "state " + state + ", not " + qp.queryState());
    }

    /** Checks that an end has no completion for a while. */
    void silence(End end) {
        long until = System.nanoTime() + Duration.ofMillis(50).toNanos();
        while (System.nanoTime() < until) {
            here.poll();
            there.poll();
            assertThat(end.take()).isNull();
        }
    }

    // ---- bytes ----

    static void fill(MemoryRegion region, long offset, long length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long at = offset;
        for (; at + 8 <= offset + length; at += 8) {
            region.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
        for (; at < offset + length; at++) {
            region.segment().set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
    }

    static void clear(MemoryRegion region, long offset, long length) {
        region.segment().asSlice(offset, length).fill((byte) 0);
    }

    static void assertSame(MemoryRegion one, long at, MemoryRegion other, long otherAt, long length) {
        assertThat(MemorySegment.mismatch(one.segment(), at, at + length, other.segment(), otherAt, otherAt + length))
                .as("first byte that differs of %s", length)
                .isEqualTo(-1);
    }

    static void assertZero(MemoryRegion region, long offset, long length) {
        for (long at = offset; at < offset + length; at++) {
            assertThat(region.segment().get(ValueLayout.JAVA_BYTE, at))
                    .as("byte %s", at)
                    .isZero();
        }
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
