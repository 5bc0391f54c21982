package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.message.InboundMessage;
import org.jspecify.annotations.Nullable;

/** A large message on its way into local memory, or into sight. Engine thread only. */
public abstract class LargeRead {

    public final EngineSession session;
    public final int lengthBytes;
    public final long remoteAddress;
    public final int rkey;

    /** Whether it is the request of a call that this side will run. */
    public final boolean isCall;

    @Nullable
    public RegisteredBlock target;

    /** Memory that it takes here, from the time when it asks for it. */
    public int memoryBytes;

    /** Whether it has taken room for a call of what its source may have. */
    public boolean holdsCall;

    /** Whether it has taken memory of what its source may have. */
    public boolean holdsMemory;

    /** Its outcome was told, or is being told. */
    private boolean ended;

    public LargeRead(EngineSession session, int lengthBytes, long remoteAddress, int rkey, boolean isCall) {
        this.isCall = isCall;
        this.session = session;
        this.lengthBytes = lengthBytes;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
    }

    /** It waits: its source has its part of what there is. {@link #admits} follows, unless the session ends. */
    public void onWait() {}

    /** Returns whether the message is still wanted while it waits. */
    public boolean isWanted(long nowNanos) {
        return true;
    }

    /** Goes on after waiting. Returns whether the message is still wanted; ends it otherwise. */
    public boolean admits() {
        return true;
    }

    /**
     * The message is here.
     *
     * @param message now belongs to the callee
     */
    public abstract void onFetched(InboundMessage message);

    /**
     * The message will not come.
     *
     * @param reason why, in words
     * @param sessionIsBroken whether the connection failed, and not just this message
     */
    public abstract void onFailed(String reason, boolean sessionIsBroken);

    /** The message is here; without effect where its outcome was told before. */
    public final void fetched(InboundMessage message) {
        if (ended) {
            message.close();
            return;
        }
        ended = true;
        onFetched(message);
    }

    /** The message will not come; without effect where its outcome was told before. */
    public final void failed(String reason, boolean sessionIsBroken) {
        if (!ended) {
            ended = true;
            onFailed(reason, sessionIsBroken);
        }
    }
}
