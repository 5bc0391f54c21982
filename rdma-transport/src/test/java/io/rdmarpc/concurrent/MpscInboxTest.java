package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class MpscInboxTest {

    private final MpscInbox<Item> inbox = new MpscInbox<>();

    @Test
    void shouldBeEmptyAtFirst() {
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(inbox.poll()).isNull();
    }

    @Test
    void shouldPollElementsInTheOrderOffered() {
        offer(1, 2, 3);

        assertThat(inbox.isEmpty()).isFalse();
        assertThat(drain()).containsExactly(1, 2, 3);
        assertThat(inbox.isEmpty()).isTrue();
    }

    @Test
    void shouldAcceptTheSameElementAgainAfterItWasPolled() {
        Item item = new Item(7);
        for (int round = 0; round < 3; round++) {
            inbox.offer(item);
            assertThat(inbox.poll()).isSameAs(item);
            assertThat(inbox.poll()).isNull();
        }
    }

    @Test
    void whenAnElementIsInAQueueThenOfferingItAgainIsRejected() {
        Item item = new Item(7);
        inbox.offer(item);

        assertThatIllegalStateException()
                .isThrownBy(() -> inbox.offer(item))
                .withMessageContaining("already in an inbox");
        assertThatIllegalStateException().isThrownBy(() -> new MpscInbox<Item>().offer(item));
        assertThat(drain()).containsExactly(7);
    }

    @Test
    void shouldBehaveLikeAListUnderRandomOffersAndPolls() {
        long seed = TestSeed.next();
        Random random = new Random(seed);
        List<Integer> offered = new ArrayList<>();
        List<Integer> polled = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            if (random.nextBoolean()) {
                offer(i);
                offered.add(i);
            } else {
                Item item = inbox.poll();
                if (item != null) {
                    polled.add(item.number);
                }
            }
            assertThat(inbox.isEmpty()).as("seed %d", seed).isEqualTo(offered.size() == polled.size());
        }
        polled.addAll(drain());

        assertThat(polled).as("seed %d", seed).isEqualTo(offered);
    }

    @Test
    void whenAProducerStallsBetweenItsTwoStepsThenNothingIsLost() {
        for (int before = 0; before < 3; before++) {
            for (int after = 0; after < 3; after++) {
                MpscInbox<Item> gapped = new MpscInbox<>();
                for (int i = 0; i < before; i++) {
                    gapped.offer(new Item(i));
                }
                Item stalled = new Item(before);
                InboxNode predecessor = gapped.becomeTail(stalled);
                for (int i = 1; i <= after; i++) {
                    gapped.offer(new Item(before + i));
                }

                List<Integer> polled = drain(gapped);
                assertThat(gapped.poll()).isNull();
                assertThat(gapped.isEmpty()).isFalse();
                predecessor.linkTo(stalled);
                polled.addAll(drain(gapped));

                assertThat(polled).containsExactlyElementsOf(numbersTo(before + after));
                assertThat(gapped.isEmpty()).isTrue();
                gapped.offer(new Item(9));
                assertThat(drain(gapped)).containsExactly(9);
            }
        }
    }

    @Test
    @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
    @SuppressWarnings("ThreadPriorityCheck") // A spinning thread keeps the core from the thread it waits for.
    void shouldLoseAndReorderNothingUnderManyProducers() throws InterruptedException {
        int producers = 4;
        int each = 100_000;
        CountDownLatch ready = new CountDownLatch(producers);
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int first = p * each;
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                Item[] items = new Item[each];
                Arrays.setAll(items, i -> new Item(first + i));
                awaitAll(ready);
                for (Item item : items) {
                    inbox.offer(item);
                }
            }));
        }

        int[] next = new int[producers];
        for (int received = 0; received < producers * each; ) {
            Item item = inbox.poll();
            if (item == null) {
                Thread.yield();
                continue;
            }
            int producer = item.number / each;
            assertThat(item.number % each).isEqualTo(next[producer]++);
            received++;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(inbox.isEmpty()).isTrue();
    }

    private static void awaitAll(CountDownLatch ready) {
        ready.countDown();
        try {
            ready.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void offer(int... numbers) {
        for (int number : numbers) {
            inbox.offer(new Item(number));
        }
    }

    private List<Integer> drain() {
        return drain(inbox);
    }

    private static List<Integer> numbersTo(int last) {
        return IntStream.rangeClosed(0, last).boxed().toList();
    }

    private static List<Integer> drain(MpscInbox<Item> inbox) {
        List<Integer> numbers = new ArrayList<>();
        for (Item item = inbox.poll(); item != null; item = inbox.poll()) {
            numbers.add(item.number);
        }
        return numbers;
    }

    private static final class Item extends InboxNode {

        final int number;

        Item(int number) {
            this.number = number;
        }
    }
}
