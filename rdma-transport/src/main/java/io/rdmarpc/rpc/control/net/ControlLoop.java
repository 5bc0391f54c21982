package io.rdmarpc.rpc.control.net;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.NanoClock;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The event loop of all control connections of a runtime: ready sockets, tasks of other threads, timers. One thread
 * runs it. It blocks only to wait for one of these. If no thread runs it, each task runs on the thread that submits it.
 */
public final class ControlLoop implements Executor {

    public static final System.Logger LOG = System.getLogger("io.rdmarpc.rpc.control");

    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final int READ_BYTES = 64 << 10;
    private static final long MAX_WAIT_MILLIS = 1_000;
    private static final int TASK_BATCH = 256;
    private static final int MAX_LINGERING = 256;
    /** Pause before a failed selector is retried. */
    private static final long FAILED_SELECT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final NanoClock clock;
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<ControlTimer> timers = new PriorityQueue<>();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BYTES);
    /** Held by the thread that runs tasks while no thread runs the loop. */
    private final ReentrantLock idleTasks = new ReentrantLock();

    private volatile boolean running;
    private int lingering;

    /** Notified when its channel is ready. */
    public interface Ready {

        /** Does all work that is possible without waiting. */
        void onReady() throws IOException;

        /** Called when the channel or {@link #onReady} has failed. */
        void onFailure(Throwable why);
    }

    public ControlLoop(NanoClock clock) {
        this.clock = clock;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot open the selector of the control connections: check the limit of open files (ulimit -n)",
                    e);
        }
    }

    public long now() {
        return clock.nanoTime();
    }

    /** Returns the cleared buffer, for one read at a time. Control thread only. */
    ByteBuffer readBuffer() {
        return readBuffer.clear();
    }

    public SelectionKey register(SelectableChannel channel, int interest, Ready ready) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, interest, ready);
    }

    public ControlTimer after(Duration delay, Runnable action) {
        return at(now() + delay.toNanos(), action);
    }

    public ControlTimer at(long dueNanos, Runnable action) {
        ControlTimer timer = new ControlTimer(dueNanos, action);
        timers.add(timer);
        return timer;
    }

    /**
     * Returns whether one more closed connection may keep its descriptor until its peer has read the last message. If
     * so, the caller calls {@link #lingerEnded} later. Control thread only.
     */
    boolean mayLinger() {
        if (lingering >= MAX_LINGERING) {
            return false;
        }
        lingering++;
        return true;
    }

    void lingerEnded() {
        lingering--;
    }

    /** Schedules a task on the control thread. */
    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (running) {
            selector.wakeup();
        }
        if (!running) {
            runTasksHere();
        }
    }

    /**
     * Runs tasks on this thread until there are none. Only one thread at a time runs tasks. Other threads do not wait,
     * because a task may wait for them.
     */
    private void runTasksHere() {
        while (!running && !tasks.isEmpty() && idleTasks.tryLock()) {
            try {
                runTasksAlone();
            } finally {
                idleTasks.unlock();
            }
        }
    }

    private void runTasksAlone() {
        while (!running && runTasks() > 0) {
            // A task may submit further tasks.
        }
    }

    /** Allows {@link #doWork}, which one thread calls repeatedly from now on. */
    public void resume() {
        idleTasks.lock();
        try {
            running = true;
        } finally {
            idleTasks.unlock();
        }
    }

    /** Runs the waiting tasks and closes open channels, after the last {@link #doWork}. */
    public void halt() {
        running = false;
        idleTasks.lock();
        try {
            runTasksAlone();
        } finally {
            idleTasks.unlock();
        }
        for (SelectionKey key : selector.keys()) {
            closeQuietly(key.channel());
        }
        closeKeysCancelled();
    }

    public static void closeQuietly(Closeable channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a control connection could not be closed", e);
        }
    }

    /** Runs one duty cycle: waits for work and does it. */
    public void doWork() {
        runTasks();
        select(fireTimers());
    }

    /** Runs one duty cycle without waiting, for tests that control time. */
    public void doWorkNow() {
        runTasks();
        fireTimers();
        select(0);
        runTasks();
    }

    public void wake() {
        selector.wakeup();
    }

    private int runTasks() {
        int done = 0;
        Runnable task = tasks.poll();
        while (task != null) {
            guarded(task);
            done++;
            task = done < TASK_BATCH ? tasks.poll() : null;
        }
        return done;
    }

    /** Returns how long the loop may wait, in milliseconds. */
    private long fireTimers() {
        long now = now();
        ControlTimer next = timers.peek();
        while (next != null && next.dueNanos() - now <= 0) {
            timers.remove();
            guarded(next::fire);
            next = timers.peek();
        }
        if (!tasks.isEmpty()) {
            return 0;
        }
        return next == null
                ? MAX_WAIT_MILLIS
                : Math.min(MAX_WAIT_MILLIS, TimeUnit.NANOSECONDS.toMillis(next.dueNanos() - now) + 1);
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            FAILURES.report("a task of the control thread failed", e);
        }
    }

    private void select(long millis) {
        try {
            if (millis == 0) {
                selector.selectNow(ControlLoop::ready);
            } else {
                selector.select(ControlLoop::ready, millis);
            }
        } catch (IOException e) {
            FAILURES.report("the selector of control connections failed", e);
            LockSupport.parkNanos(this, FAILED_SELECT_NANOS);
        }
    }

    /** Makes the selector deregister closed channels; their ports and descriptors are free only after that. */
    public void closeKeysCancelled() {
        try {
            selector.selectNow();
            selector.selectedKeys().clear();
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(System.Logger.Level.DEBUG, "the selector of control connections failed", e);
        }
    }

    private static void ready(SelectionKey key) {
        Ready ready = (Ready) key.attachment();
        try {
            if (key.isValid()) {
                ready.onReady();
            }
        } catch (Throwable e) {
            try {
                ready.onFailure(e);
            } catch (Throwable second) {
                FAILURES.report("a control connection could not be ended", second);
            }
        }
    }

    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the selector of control connections could not be closed", e);
        }
    }
}
