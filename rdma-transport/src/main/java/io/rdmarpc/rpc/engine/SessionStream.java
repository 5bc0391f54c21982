package io.rdmarpc.rpc.engine;

/** A stream as its session's table knows it. */
abstract class SessionStream {

    abstract int id();

    /** Returns whether its number is free for another stream. Any thread. */
    abstract boolean isOver();
}
