package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.MpscInbox;
import java.util.ArrayDeque;

/**
 * What is wanted of an engine: by other threads, through an inbox, and by what runs on its own thread, which needs no way
 * between threads. The engine's thread runs it, a batch per turn.
 *
 * <p>Commands of which one was queued because of the other keep their order, whichever threads queued them: one of the own
 * thread goes through the inbox while anything waits there, and else runs before whatever comes into the inbox after it.
 */
public final class CommandQueue {

    private static final int BATCH = 64;

    private final MpscInbox<EngineCommand> inbox = new MpscInbox<>();
    private final ArrayDeque<EngineCommand> own = new ArrayDeque<>();
    private final LoopFailures failures;

    CommandQueue(LoopFailures failures) {
        this.failures = failures;
    }

    /** Any thread; the engine has to be woken afterwards. */
    void offer(EngineCommand command) {
        inbox.offer(command);
    }

    /** The engine's thread. */
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

    /** Tells whether some of the engine's thread wait. */
    public boolean hasOwn() {
        return !own.isEmpty();
    }

    /** Runs a batch; returns how many there were. */
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

    /** Runs those of the engine's thread that are there now: what comes back because it has to wait is for the next time. */
    public int runOwn(long now) {
        int count = own.size();
        for (int i = 0; i < count; i++) {
            execute(own.removeFirst(), now);
        }
        return count;
    }

    /** Runs a command before those that wait. */
    public void execute(EngineCommand command, long now) {
        try {
            command.execute(now);
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** What a command has thrown goes no further. */
    public void failed(Throwable thrown) {
        failures.caught("a command", thrown);
    }

    /** Runs a command behind those that wait, at once when they are not more than a batch. */
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

    /** Runs all there are, and what they queue, as far as there is an end to it. */
    void runAll(long now) {
        for (int left = BATCH; left > 0 && !isEmpty(); left--) {
            run(now);
        }
    }
}
