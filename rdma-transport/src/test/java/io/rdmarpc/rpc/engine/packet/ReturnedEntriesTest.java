package io.rdmarpc.rpc.engine.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Returned entries of the ring")
class ReturnedEntriesTest {

    @Test
    @DisplayName("do not exist at first")
    void whenNoEntryWasReturnedThenThereIsNone() {
        assertThat(new ReturnedEntries(4).poll()).isEqualTo(ReturnedEntries.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 64, 100})
    @DisplayName("are polled in their order, up to the number of lent ones, repeatedly; 0 is a valid entry")
    void shouldHaveRoomForAllThatAreLent(int most) {
        ReturnedEntries entries = new ReturnedEntries(most);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < most; i++) {
                entries.add(i);
            }
            for (int i = 0; i < most; i++) {
                assertThat(entries.poll()).isEqualTo(i);
            }
            assertThat(entries.poll()).isEqualTo(ReturnedEntries.NONE);
        }
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // more threads than processors, all of which wait for each other
    @DisplayName("of several readers are polled once each")
    void whenReadersReturnEntriesConcurrentlyThenNoneIsLostOrDuplicated() throws InterruptedException {
        int readers = 3;
        int each = 20_000;
        ReturnedEntries entries = new ReturnedEntries(readers);
        // A reader has one entry at a time, as if the entry were lent again as soon as it was returned.
        AtomicIntegerArray back = new AtomicIntegerArray(readers);
        List<Thread> threads = new ArrayList<>();
        for (int r = 0; r < readers; r++) {
            int reader = r;
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                for (int i = 1; i <= each; i++) {
                    entries.add(reader);
                    while (back.get(reader) < i) {
                        Thread.yield();
                    }
                }
            }));
        }
        int found = 0;
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (found < readers * each && System.nanoTime() - end < 0) {
            int entry = entries.poll();
            if (entry == ReturnedEntries.NONE) {
                Thread.yield();
            } else {
                back.incrementAndGet(entry);
                found++;
            }
        }
        for (Thread thread : threads) {
            thread.join(Duration.ofSeconds(60));
        }
        for (int r = 0; r < readers; r++) {
            assertThat(back.get(r)).isEqualTo(each);
        }
        assertThat(entries.poll()).isEqualTo(ReturnedEntries.NONE);
    }
}
