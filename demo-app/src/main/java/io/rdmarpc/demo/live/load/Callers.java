package io.rdmarpc.demo.live.load;

import io.rdmarpc.demo.OrderService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The callers of one lane: virtual threads that wait for each response, or one thread that starts calls without
 * waiting.
 */
public final class Callers {

    /** Pause after a failed call, so that an unreachable server does not keep a processor busy. */
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 20;

    private final Lane lane;
    private final LoadSettings settings;
    private final OrderBook book;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    public Callers(Lane lane, LoadSettings settings, OrderBook book) {
        this.lane = lane;
        this.settings = settings;
        this.book = book;
    }

    public void start() {
        if (settings.workload() == Workload.PLACE_ASYNC) {
            startThread(this::callWithoutWaiting);
        } else {
            for (int caller = 0; caller < settings.callers(); caller++) {
                startThread(this::callAndWait);
            }
        }
    }

    private void startThread(Runnable loop) {
        threads.add(Thread.ofVirtual()
                .name("demo-" + lane.name() + "-", threads.size())
                .start(loop));
    }

    /** Returns the callers' threads, for tests. */
    List<Thread> threads() {
        return List.copyOf(threads);
    }

    /** Stops the callers. The turnstile must be closed and empty, so that no call is in progress. */
    public void stop() {
        stopped = true;
        threads.forEach(Thread::interrupt);
    }

    private void callAndWait() {
        try {
            while (!stopped) {
                lane.turnstile().enter();
                boolean succeeded;
                try {
                    succeeded = call();
                } finally {
                    lane.turnstile().leave();
                }
                pauseUnless(succeeded);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean call() {
        OrderService desk = lane.desk();
        if (desk == null) {
            return false;
        }
        long start = System.nanoTime();
        try {
            book.call(desk, settings.workload(), lane.nextNumber());
            lane.succeeded(start);
            return true;
        } catch (RuntimeException e) {
            lane.failed(e);
            return false;
        }
    }

    private static void pauseUnless(boolean succeeded) throws InterruptedException {
        if (!succeeded) {
            Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
        }
    }

    private void callWithoutWaiting() {
        Semaphore permits = new Semaphore(settings.callers());
        try {
            while (!stopped) {
                permits.acquire();
                lane.turnstile().enter();
                startCall(permits);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startCall(Semaphore permits) throws InterruptedException {
        OrderService desk = lane.desk();
        if (desk == null) {
            done(permits);
            pauseUnless(false);
            return;
        }
        long start = System.nanoTime();
        try {
            var _ = book.callLater(desk, lane.nextNumber()).whenComplete((_, failure) -> {
                if (failure == null) {
                    lane.succeeded(start);
                } else {
                    lane.failed(failure);
                }
                done(permits);
            });
        } catch (RuntimeException e) {
            lane.failed(e);
            done(permits);
            pauseUnless(false);
        }
    }

    private void done(Semaphore permits) {
        lane.turnstile().leave();
        permits.release();
    }
}
