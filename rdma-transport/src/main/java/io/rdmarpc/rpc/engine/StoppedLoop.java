package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.RcTransport;

/**
 * A loop that nobody turns any more: its sessions have ended, and who brings a command carries it out, one thread at a time,
 * so that no call waits for ever. The NIC is not touched.
 */
final class StoppedLoop {

    private final EventLoop loop;
    private final CommandQueue commands;
    private final Sessions sessions;
    private final RcTransport rc;
    // Why; empty while somebody turns the loop, or will.
    private volatile String reason = "";

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
        String why = reason;
        if (why.isEmpty()) {
            return;
        }
        long now = loop.clock().nanoTime();
        commands.runAll(now);
        sessions.endAll(why, now);
        rc.endAll();
        commands.run(now);
        sessions.letAllGo();
    }
}
