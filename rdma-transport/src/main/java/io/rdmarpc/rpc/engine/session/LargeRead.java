package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.events.ReadEvent;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.message.InboundMessage;
import org.jspecify.annotations.Nullable;

/** A large message that is being READ into local memory or viewed in place. Engine thread only. */
public abstract class LargeRead {

    public final EngineSession session;
    public final int lengthBytes;
    public final long remoteAddress;
    public final int rkey;

    /** Whether it is the request of a call to this side. */
    public final boolean isCall;

    @Nullable
    public RegisteredBlock target;

    /** Size in bytes of the local memory that it needs; set when it requests the memory. */
    public int memoryBytes;

    /** Whether it counts as one of its source's calls. */
    public boolean holdsCall;

    /** Whether its bytes count against its source's part of the memory. */
    public boolean holdsMemory;

    private final @Nullable ReadEvent event = ReadEvent.begun();

    /** Whether its outcome was reported, or is being reported. */
    private boolean ended;

    public LargeRead(EngineSession session, int lengthBytes, long remoteAddress, int rkey, boolean isCall) {
        this.isCall = isCall;
        this.session = session;
        this.lengthBytes = lengthBytes;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
    }

    /**
     * Called when the message has to wait because its source has used its part. {@link #admits} follows, unless the
     * session ends.
     */
    public void onWait() {}

    /** Returns whether the message is still needed while it waits. */
    public boolean isNeeded(long nowNanos) {
        return true;
    }

    /** Continues after waiting. Returns whether the message is still needed; otherwise it ends the message. */
    public boolean admits() {
        return true;
    }

    /**
     * Called when the message is available.
     *
     * @param message the message, which the callee owns now
     */
    public abstract void onFetched(InboundMessage message);

    /**
     * Called when the message has failed.
     *
     * @param reason the reason
     * @param sessionIsBroken whether the whole connection failed, and not only this message
     */
    public abstract void onFailed(String reason, boolean sessionIsBroken);

    /** Reports the message; has no effect after another outcome. */
    public final void fetched(InboundMessage message) {
        if (ended) {
            message.close();
            return;
        }
        ended = true;
        record(null);
        onFetched(message);
    }

    /** Reports the failure; has no effect after another outcome. */
    public final void failed(String reason, boolean sessionIsBroken) {
        if (!ended) {
            ended = true;
            record(reason);
            onFailed(reason, sessionIsBroken);
        }
    }

    private void record(@Nullable String failure) {
        if (event != null) {
            event.end(session.info().peer(), lengthBytes, failure);
        }
    }
}
