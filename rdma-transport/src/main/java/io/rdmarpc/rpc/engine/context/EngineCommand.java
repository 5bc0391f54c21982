package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.InboxNode;

/** A request of another thread to an engine. It is the only means by which other threads change an engine's state. */
public abstract class EngineCommand extends InboxNode {

    /**
     * Runs the command. Engine thread only.
     *
     * @param nowNanos the engine's time
     */
    public abstract void execute(long nowNanos);
}
