package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.MpscInbox;
import io.rdmarpc.rpc.engine.EngineCounters.Drop;

/** What other threads want of an engine. Any thread adds to it; the engine's runs it, a batch per turn. */
final class CommandQueue {

    private static final System.Logger LOG = System.getLogger(CommandQueue.class.getName());
    private static final int BATCH = 64;

    private final MpscInbox<EngineCommand> inbox = new MpscInbox<>();
    private final EngineCounters counters;

    CommandQueue(EngineCounters counters) {
        this.counters = counters;
    }

    /** Any thread; the engine has to be woken afterwards. */
    void offer(EngineCommand command) {
        inbox.offer(command);
    }

    boolean isEmpty() {
        return inbox.isEmpty();
    }

    /** Runs a batch; returns how many there were. */
    int run(long now) {
        int ran = 0;
        while (ran < BATCH) {
            EngineCommand command = inbox.poll();
            if (command == null) {
                return ran;
            }
            ran++;
            execute(command, now);
        }
        return ran;
    }

    private void execute(EngineCommand command, long now) {
        try {
            command.execute(now);
        } catch (Throwable e) {
            counters.drop(Drop.INTERNAL);
            LOG.log(System.Logger.Level.ERROR, "the engine failed on a command", e);
        }
    }

    /** Runs a command behind those that wait, at once when they are not more than a batch. */
    void runLast(EngineCommand command, long now) {
        run(now);
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
