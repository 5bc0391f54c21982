package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.message.InboundMessage;
import org.jspecify.annotations.Nullable;

/** A large message on its way into local memory, or into sight. Engine thread only. */
abstract class LargeRead {

    final EngineSession session;
    final int lengthBytes;
    final long remoteAddress;
    final int rkey;

    /** Whether it is the request of a call that this side will run. */
    final boolean isCall;

    @Nullable
    RegisteredBlock target;

    /** Memory that it takes here, from the time when it asks for it. */
    int memoryBytes;

    /** Whether it has taken room for a call of what its source may have. */
    boolean holdsCall;

    /** Whether it has taken memory of what its source may have. */
    boolean holdsMemory;

    /** Its outcome was told, or is being told. */
    private boolean ended;

    LargeRead(EngineSession session, int lengthBytes, long remoteAddress, int rkey, boolean isCall) {
        this.isCall = isCall;
        this.session = session;
        this.lengthBytes = lengthBytes;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
    }

    /** It waits: its source has its part of what there is. {@link #admits} follows, unless the session ends. */
    void onWait() {}

    /** Returns whether the message is still wanted while it waits. */
    boolean isWanted(long nowNanos) {
        return true;
    }

    /** Goes on after waiting. Returns whether the message is still wanted; ends it otherwise. */
    boolean admits() {
        return true;
    }

    /**
     * The message is here.
     *
     * @param message now belongs to the callee
     */
    abstract void onFetched(InboundMessage message);

    /**
     * The message will not come.
     *
     * @param reason why, in words
     * @param sessionIsBroken whether the connection failed, and not just this message
     */
    abstract void onFailed(String reason, boolean sessionIsBroken);

    /** The message is here; without effect where its outcome was told before. */
    final void fetched(InboundMessage message) {
        if (ended) {
            message.close();
            return;
        }
        ended = true;
        onFetched(message);
    }

    /** The message will not come; without effect where its outcome was told before. */
    final void failed(String reason, boolean sessionIsBroken) {
        if (!ended) {
            ended = true;
            onFailed(reason, sessionIsBroken);
        }
    }
}
