package io.rdmarpc.verbs.soft.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.CarrierWait;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The lock of a software RNIC")
@Timeout(20)
class RnicLockTest {

    private final RnicLock lock = new RnicLock();

    @Test
    void shouldCountHolds() {
        assertThat(lock.holds()).isZero();
        lock.lock();
        lock.lock();
        assertThat(lock.holds()).isEqualTo(2);
        lock.unlock();
        assertThat(lock.holds()).isEqualTo(1);
        lock.unlock();
        assertThat(lock.holds()).isZero();
    }

    @Test
    void shouldNotBeHeldByOtherThreads() throws InterruptedException {
        lock.lock();
        int[] holds = {-1};
        Thread.ofVirtual().start(() -> holds[0] = lock.holds()).join();
        assertThat(holds[0]).isZero();
    }

    @Test
    void whenAnotherThreadUnlocksThenThatIsRejected() throws InterruptedException {
        lock.lock();
        Throwable[] thrown = new Throwable[1];
        Thread other = Thread.ofPlatform().unstarted(lock::unlock);
        other.setUncaughtExceptionHandler((_, e) -> thrown[0] = e);
        other.start();
        other.join();
        assertThat(thrown[0]).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.holds()).isEqualTo(1);
    }

    @Test
    void whenItIsFreeThenUnlockIsRejected() {
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldAdmitOneThread() throws InterruptedException {
        int[] count = {0};
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                for (int turn = 0; turn < 20_000; turn++) {
                    lock.lock();
                    count[0]++;
                    lock.unlock();
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count[0]).isEqualTo(80_000);
    }

    @Test
    void shouldReportQueuedThreads() throws InterruptedException {
        lock.lock();
        assertThat(lock.hasQueuedThreads()).isFalse();
        Thread other = Thread.ofPlatform().start(() -> {
            lock.lock();
            lock.unlock();
        });
        while (!lock.hasQueuedThreads()) {
            Thread.onSpinWait();
        }
        lock.unlock();
        other.join();
        assertThat(lock.hasQueuedThreads()).isFalse();
    }

    @Test
    void whenAThreadWaitsForAConditionThenItReleasesAndReacquiresAllHolds() throws InterruptedException {
        Condition condition = lock.newCondition();
        CountDownLatch waits = new CountDownLatch(1);
        int[] holds = {0, 0};
        boolean[] told = {false};
        Thread waiter = Thread.ofPlatform().start(() -> {
            lock.lock();
            lock.lock();
            waits.countDown();
            while (!told[0]) {
                condition.awaitUninterruptibly();
            }
            holds[0] = lock.holds();
            lock.unlock();
            lock.unlock();
            holds[1] = lock.holds();
        });
        assertThat(waits.await(10, TimeUnit.SECONDS)).isTrue();
        lock.lock();
        told[0] = true;
        condition.signalAll();
        lock.unlock();
        waiter.join();
        assertThat(holds).containsExactly(2, 0);
    }

    @Test
    void whenAThreadDoesNotHoldItThenItCannotSignal() {
        Condition condition = lock.newCondition();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(condition::signal);
    }

    /** Starts a virtual thread that runs an event loop and waits for the lock, which this thread holds. */
    private Thread startLoopThread(RnicLock wanted, AtomicInteger offers, CountDownLatch got) {
        return Thread.ofVirtual()
                .start(() -> CarrierWait.run(offers::incrementAndGet, () -> {
                    wanted.lock();
                    got.countDown();
                    wanted.unlock();
                }));
    }

    @Test
    @DisplayName("keeps a waiting virtual thread that runs an event loop on its carrier")
    void whenAVirtualThreadRunsALoopThenItWaitsOnItsCarrier() throws InterruptedException {
        RnicLock patient = new RnicLock(Duration.ofMinutes(1));
        AtomicInteger offers = new AtomicInteger();
        CountDownLatch got = new CountDownLatch(1);
        patient.lock();
        Thread loopThread = startLoopThread(patient, offers, got);
        while (offers.get() < 10_000) {
            assertThat(loopThread.getState()).isNotIn(Thread.State.WAITING, Thread.State.TIMED_WAITING);
        }
        patient.unlock();

        assertThat(got.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("parks such a thread if it is held for long, because its owner may need the carrier")
    void whenItIsHeldForLongThenAnOwnerOfALoopParks() throws InterruptedException {
        RnicLock impatient = new RnicLock(Duration.ofNanos(1));
        CountDownLatch got = new CountDownLatch(1);
        impatient.lock();
        Thread loopThread = startLoopThread(impatient, new AtomicInteger(), got);
        while (loopThread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        impatient.unlock();

        assertThat(got.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
