package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.NanoClock;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A loop that nobody turns any more: its sessions have ended, and who brings a command carries it out, one thread at a time,
 * so that no call waits for ever. A command that comes from a handler waits until what called the handler is done, as in a
 * loop that is turned. The NIC is not touched.
 *
 * <p>What users are told waits until the commands are done and the lock is free: a handler may wait for another thread that
 * brings a command.
 */
@SuppressWarnings("ReferenceEquality") // a thread is itself and no other
public final class StoppedLoop {

    /** Handlers that bring commands for ever do not hold up who ends a loop. */
    private static final int ROUNDS = 64;

    private final CommandQueue commands;
    private final LoopFailures failures;
    private final NanoClock clock;
    // What ends with the loop.
    private volatile @Nullable Work work;
    // Why; empty while somebody turns the loop, or will.
    private volatile String reason = "";
    /** The thread that has the lock and carries commands out. */
    private volatile @Nullable Thread executor;
    /** What the commands of now have to tell users. Of the executor. */
    private ArrayDeque<Runnable> untold = new ArrayDeque<>();
    /** Threads that tell users just now, with what each has left. Guarded by the lock. */
    private final Map<Thread, ArrayDeque<Runnable>> tellers = new HashMap<>();

    StoppedLoop(CommandQueue commands, LoopFailures failures, NanoClock clock) {
        this.commands = commands;
        this.failures = failures;
        this.clock = clock;
    }

    /** What the engine has to do when its loop is stopped, and when it is run again. */
    public interface Work {

        /** Run once, when the loop is stopped. */
        void onStop();

        /** Returns what has to be done before the commands are run. */
        List<Runnable> before();

        /** Returns what ends all sessions. */
        List<Runnable> end(String why, long nowNanos);

        /** Returns what has to be done after that. */
        List<Runnable> after();

        /** Run once, when the loop is to be run again. */
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

    /** Tells whether this thread carries commands out, so that users are told {@linkplain #tellLater later}. */
    boolean isExecutedHere() {
        return executor == Thread.currentThread();
    }

    /** Keeps what a user is to be told. The executor only. */
    void tellLater(Runnable end) {
        untold.addLast(end);
    }

    /** Any thread, after it has queued a command. */
    void execute() {
        if (!isExecutedHere() && executeCommands()) {
            tellAll();
        }
    }

    /** True when this thread has to tell users something. */
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

    /** A thread that tells users something already is in a handler of one: it goes on when that handler has returned. */
    private boolean handOver() {
        if (untold.isEmpty()) {
            return false;
        }
        ArrayDeque<Runnable> mine = untold;
        untold = new ArrayDeque<>();
        ArrayDeque<Runnable> outer = tellers.get(Thread.currentThread());
        if (outer != null) {
            outer.addAll(mine);
            return false;
        }
        tellers.put(Thread.currentThread(), mine);
        return true;
    }

    private void tellAll() {
        for (Runnable next = nextUntold(); next != null; next = nextUntold()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable nextUntold() {
        ArrayDeque<Runnable> mine = tellers.get(Thread.currentThread());
        Runnable next = mine == null ? null : mine.pollFirst();
        if (next == null) {
            tellers.remove(Thread.currentThread());
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

    /** Each by itself: what fails keeps neither calls from ending nor memory from coming back. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            failures.caught("its end", e);
        }
    }
}
