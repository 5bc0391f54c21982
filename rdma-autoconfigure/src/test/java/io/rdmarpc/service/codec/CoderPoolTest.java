package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdmarpc.service.concurrent.Stripes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CoderPoolTest {

    private final AtomicInteger created = new AtomicInteger();
    private final CoderPool pool = new CoderPool(() -> {
        created.incrementAndGet();
        return new CoderPool.Entry(new NoCoder(), 4096, 1);
    });

    private static final class NoCoder implements MessageCoder {

        @Override
        public void write(MessageShape shape, @Nullable Object[] values, MessageOutput output) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(MessageShape shape, MessageInput input, @Nullable Object[] values) {
            throw new UnsupportedOperationException();
        }
    }

    /** The threads may run on several processors, each of which has a coder. */
    @Test
    void shouldReuseReleasedCoders() throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            CoderPool.Entry entry = pool.acquire();
            Thread.startVirtualThread(() -> pool.release(entry)).join();
        }

        assertThat(created.get()).isBetween(1, Stripes.COUNT);
    }

    @Test
    void whenACoderIsNotReleasedThenAnotherIsCreated() {
        CoderPool.Entry lost = pool.acquire();

        assertThat(pool.acquire()).isNotSameAs(lost);
        assertThat(created.get()).isEqualTo(2);
    }

    @Test
    void whenACoderIsDiscardedThenItIsNotUsedAgain() {
        List<CoderPool.Entry> all = new ArrayList<>();
        for (int i = 0; i < Stripes.COUNT; i++) {
            all.add(pool.acquire());
        }
        CoderPool.Entry defective = all.removeFirst();
        pool.discard(defective);

        assertThat(pool.acquire()).isNotSameAs(defective);
        assertThat(created.get()).isEqualTo(Stripes.COUNT + 1);
    }

    @Test
    void whenTheFactoryFailsThenTheNextCallerTriesAgain() {
        AtomicBoolean fails = new AtomicBoolean(true);
        CoderPool failing = new CoderPool(() -> {
            if (fails.get()) {
                throw new IllegalStateException("no coder");
            }
            return new CoderPool.Entry(new NoCoder(), 4096, 1);
        });
        for (int i = 0; i < 2 * Stripes.COUNT; i++) {
            assertThatThrownBy(failing::acquire).hasMessage("no coder");
        }
        fails.set(false);
        CoderPool.Entry entry = failing.acquire();
        failing.release(entry);

        assertThat(entry.coder).isInstanceOf(NoCoder.class);
    }

    @Test
    void shouldKeepOneCoderForEachStripe() {
        List<CoderPool.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 2 * Stripes.COUNT; i++) {
            entries.add(pool.acquire());
        }
        entries.forEach(pool::release);
        Set<CoderPool.Entry> again = new HashSet<>();
        for (int i = 0; i < 2 * Stripes.COUNT; i++) {
            again.add(pool.acquire());
        }

        again.retainAll(entries);
        assertThat(again).hasSize(Stripes.COUNT);
    }

    @Test
    void shouldNeverGiveOneCoderToTwoThreads() throws InterruptedException {
        Set<CoderPool.Entry> used = ConcurrentHashMap.newKeySet();
        AtomicBoolean shared = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < 20_000; round++) {
                    CoderPool.Entry entry = pool.acquire();
                    if (!used.add(entry)) {
                        shared.set(true);
                    }
                    used.remove(entry);
                    pool.release(entry);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(shared.get()).isFalse();
    }
}
