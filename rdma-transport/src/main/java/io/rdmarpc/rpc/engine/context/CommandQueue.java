package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.MpscInbox;
import java.util.ArrayDeque;

/**
 * The commands of an engine. Other threads queue them in an inbox. The engine's own thread uses a separate queue
 * without synchronization. The engine's thread runs the commands, one batch per duty cycle.
 *
 * <p>If one command was queued as a consequence of another one, the two run in that order, whichever threads queued
 * them. A command of the engine's own thread therefore goes through the inbox while the inbox is not empty. Otherwise
 * it runs before all commands that are added to the inbox after it.
 */
public final class CommandQueue {

    private static final int BATCH = 64;

    private final MpscInbox<EngineCommand> inbox = new MpscInbox<>();
    private final ArrayDeque<EngineCommand> own = new ArrayDeque<>();
    private final LoopFailures failures;

    CommandQueue(LoopFailures failures) {
        this.failures = failures;
    }

    /** Adds a command. Thread-safe; the caller wakes the engine afterwards. */
    void offer(EngineCommand command) {
        inbox.offer(command);
    }

    /** Adds a command of the engine's own thread. */
    void offerOwn(EngineCommand command) {
        if (inbox.isEmpty()) {
            own.addLast(command);
        } else {
            inbox.offer(command);
        }
    }

    public boolean isEmpty() {
        return inbox.isEmpty() && own.isEmpty();
    }

    /** Returns whether commands of the engine's own thread wait. */
    public boolean hasOwn() {
        return !own.isEmpty();
    }

    /** Runs a batch; returns the number of commands that ran. */
    public int run(long now) {
        int ran = runOwn(now);
        for (int i = 0; i < BATCH; i++) {
            EngineCommand command = inbox.poll();
            if (command == null) {
                break;
            }
            execute(command, now);
            ran += 1 + runOwn(now);
        }
        return ran;
    }

    /**
     * Runs the waiting commands of the engine's own thread. A command that is queued again meanwhile runs in the next
     * call.
     */
    public int runOwn(long now) {
        int count = own.size();
        for (int i = 0; i < count; i++) {
            execute(own.removeFirst(), now);
        }
        return count;
    }

    /** Runs a command before the waiting commands. */
    public void execute(EngineCommand command, long now) {
        try {
            command.execute(now);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Reports an exception of a command, which is not propagated. */
    public void failed(Throwable thrown) {
        failures.caught("a command", thrown);
    }

    /**
     * Runs a command after the waiting commands. If at most one batch of them waits, this happens at once; otherwise,
     * the command is queued.
     */
    public void runLast(EngineCommand command, long now) {
        if (!isEmpty()) {
            run(now);
        }
        if (isEmpty()) {
            execute(command, now);
        } else {
            offer(command);
        }
    }

    /** Runs all commands and those they queue, up to a limited number of rounds. */
    void runAll(long now) {
        for (int left = BATCH; left > 0 && !isEmpty(); left--) {
            run(now);
        }
    }
}
