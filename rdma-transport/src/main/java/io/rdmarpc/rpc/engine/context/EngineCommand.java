package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.concurrent.InboxNode;

/** Something that another thread wants an engine to do. Nothing else crosses threads. */
public abstract class EngineCommand extends InboxNode {

    /**
     * Does it; engine thread only.
     *
     * @param nowNanos the engine's time
     */
    public abstract void execute(long nowNanos);
}
