package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.RcTransport;

/**
 * A loop that nobody turns any more: its sessions have ended, and who brings a command carries it out, one thread at a time,
 * so that no call waits for ever. A command that comes from a handler waits until what called the handler is done, as in a
 * loop that is turned. The NIC is not touched.
 */
final class StoppedLoop {

    /** Handlers that bring commands for ever do not hold up who ends a loop. */
    private static final int ROUNDS = 64;

    private final EventLoop loop;
    private final CommandQueue commands;
    private final Sessions sessions;
    private final RcTransport rc;
    // Why; empty while somebody turns the loop, or will.
    private volatile String reason = "";
    /** By the thread that holds the lock; it may come here again from a handler. */
    private boolean executing;

    StoppedLoop(EventLoop loop, CommandQueue commands, Sessions sessions, RcTransport rc) {
        this.loop = loop;
        this.commands = commands;
        this.sessions = sessions;
        this.rc = rc;
    }

    boolean isNow() {
        return !reason.isEmpty();
    }

    synchronized void begin(String why) {
        reason = why;
        loop.receiveRing().park();
        execute();
    }

    synchronized void end() {
        reason = "";
        loop.onResume();
    }

    /** Any thread, after it has queued a command. */
    synchronized void execute() {
        if (executing) {
            return;
        }
        executing = true;
        try {
            int left = ROUNDS;
            do {
                executeAll();
            } while (!commands.isEmpty() && --left > 0);
        } finally {
            executing = false;
        }
    }

    private void executeAll() {
        String why = reason;
        if (why.isEmpty()) {
            return;
        }
        long now = loop.clock().nanoTime();
        loop.settleOwedEnd();
        commands.runAll(now);
        sessions.endAll(why, now);
        rc.endAll();
        commands.run(now);
        sessions.letAllGo();
        loop.freeSpareBlock();
    }
}
