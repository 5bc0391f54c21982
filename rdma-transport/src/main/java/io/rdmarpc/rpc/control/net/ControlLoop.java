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
 * The event loop of all control connections of a runtime: ready sockets, tasks of other threads, timers. One thread runs it.
 * It blocks only to wait for one of these. While no thread runs it, each task runs on the thread that submits it.
 */
public final class ControlLoop implements Executor {

    public static final System.Logger LOG = System.getLogger("io.rdmarpc.rpc.control");

    private static final FailureLog FAILURES = new FailureLog(LOG);
    private static final int READ_BYTES = 64 << 10;
    private static final long LONGEST_WAIT_MILLIS = 1_000;
    private static final int TASK_BATCH = 256;
    private static final int MOST_LINGERING = 256;
    /** Between two tries of a selector that fails. */
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

    /** Told when its channel is ready. */
    public interface Ready {

        /** Does what can be done without waiting. */
        void onReady() throws IOException;

        /** The channel failed, or {@link #onReady} did. */
        void onFailure(Throwable why);
    }

    public ControlLoop(NanoClock clock) {
        this.clock = clock;
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("no selector for control connections", e);
        }
    }

    public long now() {
        return clock.nanoTime();
    }

    /** For one read at a time. Control thread only. */
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
     * Tells whether one more closed connection may keep its descriptor until its peer has read the last words; if so, {@link
     * #lingerEnded} follows. Control thread only.
     */
    boolean mayLinger() {
        if (lingering >= MOST_LINGERING) {
            return false;
        }
        lingering++;
        return true;
    }

    void lingerEnded() {
        lingering--;
    }

    /** Runs a task on the control thread, soon. */
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

    /** One thread at a time, until there are none. No other one waits for it: a task may wait for that thread. */
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
            // Tasks bring tasks.
        }
    }

    /** Allows {@link #doWork}, which one thread calls again and again from now on. */
    public void resume() {
        idleTasks.lock();
        try {
            running = true;
        } finally {
            idleTasks.unlock();
        }
    }

    /** Runs the tasks that wait and closes open channels, after the last {@link #doWork}. */
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

    /** One duty cycle: waits for work and does it. */
    public void doWork() {
        runTasks();
        select(fireTimers());
    }

    /** One duty cycle that does not wait, for tests that move time. */
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

    /** Returns how many milliseconds there is nothing to do. */
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
                ? LONGEST_WAIT_MILLIS
                : Math.min(LONGEST_WAIT_MILLIS, TimeUnit.NANOSECONDS.toMillis(next.dueNanos() - now) + 1);
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            FAILURES.report("the control channel failed on a task", e);
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

    /** A channel that was closed gives its port and descriptor back only when the selector looks again. */
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
            } catch (Throwable inTurn) {
                FAILURES.report("a control connection could not be ended", inTurn);
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
