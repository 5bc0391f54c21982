package io.rdmarpc.rpc.engine;

/** A stream as its session's table knows it. */
abstract class SessionStream {

    abstract int id();

    /** Tells whether its number is free for another one. Any thread. */
    abstract boolean isOver();
}
