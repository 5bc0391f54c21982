package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.NanoClock;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A loop that no thread runs any more. Its sessions have ended. A thread that submits a command executes it, one thread
 * at a time, so that no call waits forever. If a handler submits a command, the command waits until the handler's
 * caller has finished, as in a running loop. The NIC is not accessed.
 *
 * <p>Users are notified after the commands have run and the lock is free, because a handler may wait for another thread
 * that submits a command.
 */
@SuppressWarnings("ReferenceEquality") // identity of the thread
public final class StoppedLoop {

    /** Limits the rounds, so that handlers that submit commands repeatedly do not block the thread that ends a loop. */
    private static final int ROUNDS = 64;

    private final CommandQueue commands;
    private final LoopFailures failures;
    private final NanoClock clock;
    // The work at the end of the loop.
    private volatile @Nullable Work work;
    // The reason for the stop; empty while a thread runs the loop, or will run it.
    private volatile String reason = "";
    /** The thread that holds the lock and executes commands. */
    private volatile @Nullable Thread executor;
    /** Notifications of users by the current commands. Owned by the executor. */
    private ArrayDeque<Runnable> pendingNotifications = new ArrayDeque<>();
    /** The threads that are notifying users, each with its remaining notifications. Guarded by the lock. */
    private final Map<Thread, ArrayDeque<Runnable>> notifiers = new HashMap<>();

    StoppedLoop(CommandQueue commands, LoopFailures failures, NanoClock clock) {
        this.commands = commands;
        this.failures = failures;
        this.clock = clock;
    }

    /** The engine's work when its loop is stopped and when it is resumed. */
    public interface Work {

        /** Runs once, when the loop is stopped. */
        void onStop();

        /** Returns the steps before the commands. */
        List<Runnable> before();

        /** Returns the steps that end all sessions. */
        List<Runnable> end(String why, long nowNanos);

        /** Returns the steps after the end of all sessions. */
        List<Runnable> after();

        /** Runs once, when the loop is to be run again. */
        void onResume();
    }

    public boolean isNow() {
        return !reason.isEmpty();
    }

    public void begin(String why, Work ending) {
        synchronized (this) {
            work = ending;
            reason = why;
            ending.onStop();
        }
        execute();
    }

    public synchronized void end(Work resumed) {
        reason = "";
        resumed.onResume();
    }

    /** Returns whether this thread executes commands, so that users are notified {@linkplain #notifyLater later}. */
    boolean isExecutedHere() {
        return executor == Thread.currentThread();
    }

    /** Queues a notification of a user. Only the executor calls it. */
    void notifyLater(Runnable end) {
        pendingNotifications.addLast(end);
    }

    /** Executes the queued commands. Any thread, after it has queued a command. */
    void execute() {
        if (!isExecutedHere() && executeCommands()) {
            notifyUsers();
        }
    }

    /** Executes commands; returns true if this thread has to notify users. */
    private synchronized boolean executeCommands() {
        executor = Thread.currentThread();
        try {
            int left = ROUNDS;
            do {
                executeAll();
            } while (!commands.isEmpty() && --left > 0);
        } finally {
            executor = null;
        }
        return handOver();
    }

    /**
     * Assigns the pending notifications to this thread. Returns false if it is already notifying users: it then
     * continues when the current handler has returned.
     */
    private boolean handOver() {
        if (pendingNotifications.isEmpty()) {
            return false;
        }
        ArrayDeque<Runnable> mine = pendingNotifications;
        pendingNotifications = new ArrayDeque<>();
        ArrayDeque<Runnable> outer = notifiers.get(Thread.currentThread());
        if (outer != null) {
            outer.addAll(mine);
            return false;
        }
        notifiers.put(Thread.currentThread(), mine);
        return true;
    }

    private void notifyUsers() {
        for (Runnable next = nextNotification(); next != null; next = nextNotification()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable nextNotification() {
        ArrayDeque<Runnable> mine = notifiers.get(Thread.currentThread());
        Runnable next = mine == null ? null : mine.pollFirst();
        if (next == null) {
            notifiers.remove(Thread.currentThread());
        }
        return next;
    }

    private void executeAll() {
        String why = reason;
        Work ending = work;
        if (why.isEmpty() || ending == null) {
            return;
        }
        long now = clock.nanoTime();
        ending.before().forEach(this::attempt);
        commands.runAll(now);
        ending.end(why, now).forEach(this::attempt);
        commands.run(now);
        ending.after().forEach(this::attempt);
    }

    /** Runs a step and reports its failure, so that the remaining steps still end calls and release memory. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            failures.caught("the end of the loop", e);
        }
    }
}
