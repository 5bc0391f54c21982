package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CallGateTest {

    private static final int THREADS = 8;
    private static final int CALLS = 20_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64, 256, 5_000})
    void shouldAdmitExactlyTheMaximum(int max) {
        CallGate gate = new CallGate(max);
        for (int i = 0; i < max; i++) {
            assertThat(gate.enter()).isEqualTo(CallGate.Entry.IN);
        }

        assertThat(gate.enter()).isEqualTo(CallGate.Entry.FULL);
        assertThat(gate.inside()).isEqualTo(max);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 256, 5_000})
    void whenCallsLeaveOnOtherThreadsThenTheirPermitsAreFoundAgain(int max) throws InterruptedException {
        CallGate gate = new CallGate(max);
        for (int i = 0; i < max; i++) {
            gate.enter();
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < max; i++) {
            threads.add(Thread.startVirtualThread(gate::leave));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(gate.inside()).isZero();
        for (int i = 0; i < max; i++) {
            assertThat(gate.enter()).isEqualTo(CallGate.Entry.IN);
        }
        assertThat(gate.enter()).isEqualTo(CallGate.Entry.FULL);
    }

    @Test
    void whenTheMaximumIsZeroThenCallsAreUnlimited() {
        CallGate gate = new CallGate(0);
        for (int i = 0; i < 10_000; i++) {
            assertThat(gate.enter()).isEqualTo(CallGate.Entry.IN);
        }

        assertThat(gate.inside()).isEqualTo(10_000);
    }

    @Test
    void whenClosedThenNoCallEnters() {
        CallGate gate = new CallGate(2);
        gate.enter();
        gate.close();

        assertThat(gate.enter()).isEqualTo(CallGate.Entry.CLOSED);
        assertThat(gate.inside()).isOne();
    }

    @Test
    void whenClosedAndFullThenACallFindsItClosed() {
        CallGate gate = new CallGate(1);
        gate.enter();
        gate.close();

        assertThat(gate.enter()).isEqualTo(CallGate.Entry.CLOSED);
    }

    @Test
    void whenOpenedAgainThenCallsEnter() {
        CallGate gate = new CallGate(1);
        gate.close();
        gate.open();

        assertThat(gate.enter()).isEqualTo(CallGate.Entry.IN);
    }

    @Test
    void whenACallStaysThenTheWaitEndsAtItsTimeout() {
        CallGate gate = new CallGate(1);
        gate.enter();
        gate.close();

        assertThat(gate.awaitEmpty(Duration.ofMillis(1))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 256})
    void shouldNeverAdmitMoreThanTheMaximumFromManyThreads(int max) throws InterruptedException {
        CallGate gate = new CallGate(max);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger admitted = new AtomicInteger();
        run(() -> {
            for (int i = 0; i < CALLS; i++) {
                if (gate.enter() == CallGate.Entry.IN) {
                    admitted.incrementAndGet();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    gate.leave();
                }
            }
        });

        assertThat(most.get()).isBetween(1, max);
        assertThat(admitted.get()).isPositive();
        assertThat(gate.inside()).isZero();
    }

    /** Closes the gate while calls enter and leave. The wait must end, and only after the last call has left. */
    @ParameterizedTest
    @ValueSource(ints = {2, 256, 0})
    void whenItIsClosedUnderLoadThenTheWaitEndsAfterTheLastCall(int max) throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            CallGate gate = new CallGate(max);
            AtomicInteger inside = new AtomicInteger();
            AtomicBoolean stop = new AtomicBoolean();
            CountDownLatch running = new CountDownLatch(THREADS);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    running.countDown();
                    while (!stop.get()) {
                        if (gate.enter() == CallGate.Entry.IN) {
                            inside.incrementAndGet();
                            inside.decrementAndGet();
                            gate.leave();
                        }
                    }
                }));
            }
            running.await();
            gate.close();

            assertThat(gate.awaitEmpty(Duration.ofSeconds(30)))
                    .as("round %d", round)
                    .isTrue();
            assertThat(inside.get()).as("round %d", round).isZero();
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void run(Runnable work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
