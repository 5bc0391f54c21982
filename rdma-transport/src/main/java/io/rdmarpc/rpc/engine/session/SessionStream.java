package io.rdmarpc.rpc.engine.session;

/** A stream in its session's table. */
public abstract class SessionStream {

    public abstract int id();

    /** Returns whether another stream may use its number. Thread-safe. */
    public abstract boolean isOver();
}
