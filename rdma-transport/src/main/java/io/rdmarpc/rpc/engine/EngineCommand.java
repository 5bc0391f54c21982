package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.InboxNode;

/** Something that another thread wants an engine to do. Nothing else crosses threads. */
abstract class EngineCommand extends InboxNode {

    /**
     * Does it; engine thread only.
     *
     * @param nowNanos the engine's time
     */
    abstract void execute(long nowNanos);
}
