package io.rdmarpc.rpc.engine.session;

/** A stream as its session's table knows it. */
public abstract class SessionStream {

    public abstract int id();

    /** Returns whether its number is free for another stream. Any thread. */
    public abstract boolean isOver();
}
