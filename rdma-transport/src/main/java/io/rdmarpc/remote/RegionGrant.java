package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Own memory lent to a peer: whoever opens the {@link #token} first, within the lease, may use exactly this range with
 * exactly these rights until the lease ends or the grant is closed. Then the key is invalid at the NIC. Any thread.
 */
public final class RegionGrant implements AutoCloseable {

    private final GrantOwner owner;
    private final RegionToken token;
    private final MemorySegment memory;
    private final LocalRegion.Hold hold;
    private volatile @Nullable UUID onlyFor;
    private volatile @Nullable WriteListener listener;
    private volatile @Nullable RingReceiver ring;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Control thread.
    private long deadlineNanos;
    private @Nullable LentRegion opened;

    RegionGrant(
            GrantOwner owner,
            RegionToken token,
            MemorySegment memory,
            LocalRegion.Hold hold,
            @Nullable UUID onlyFor,
            long deadlineNanos) {
        this.owner = owner;
        this.token = token;
        this.memory = memory;
        this.hold = hold;
        this.onlyFor = onlyFor;
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * Returns what to give the peer, in an argument of a call for instance.
     *
     * @return the token
     */
    public RegionToken token() {
        return token;
    }

    /**
     * Returns what the peer may do.
     *
     * @return the rights
     */
    public Set<RemoteRight> rights() {
        return token.rights();
    }

    /**
     * Tells when the peer has no access any more: the lease has ended, or the grant was closed, or the peer has given the
     * region back or died, after it had been opened.
     *
     * @return completed then, exceptionally when the device keeps the key; then the memory must not be used for
     *     anything else
     */
    public CompletableFuture<Void> ended() {
        return owner.outward(ended);
    }

    /**
     * Lends it for longer, or shorter. The peer, if it has opened the token, learns that when it {@linkplain
     * RemoteRegion#renew renews}. Does nothing when the lease is over.
     *
     * @param lease how long from now, over 0
     */
    public void renew(Duration lease) {
        Checks.checkLease(lease);
        owner.extend(this, lease);
    }

    /**
     * Ends it: when this returns the peer's NIC operations fail, and no listener has the memory before it. A second call only
     * waits. A listener that calls it does not wait.
     *
     * @throws RemoteMemoryException when the device or a listener takes longer than the answer time-out
     */
    @Override
    public void close() {
        CompletableFuture<Void> end = closeAsync();
        owner.awaitEnd(this, end);
    }

    /**
     * Begins to end it.
     *
     * @return as {@link #ended}
     */
    public CompletableFuture<Void> closeAsync() {
        owner.end(this);
        return ended();
    }

    /**
     * Sets who is told when the peer has written with {@link RemoteRegion#writeWithNotify}; the grant must have {@link
     * RemoteRight#NOTIFY}. Set it before the token goes out: notices that nobody listens to are lost.
     *
     * @param newListener told from now on
     * @return this
     */
    public RegionGrant onWrite(WriteListener newListener) {
        listener = newListener;
        return this;
    }

    /** Sets the ring that this grant is the memory of. */
    void ring(RingReceiver receiver) {
        ring = receiver;
    }

    @Nullable
    RingReceiver ring() {
        return ring;
    }

    @Nullable
    WriteListener listener() {
        return listener;
    }

    MemorySegment memory() {
        return memory;
    }

    boolean isFor(@Nullable UUID peer) {
        UUID only = onlyFor;
        return only == null || only.equals(peer);
    }

    /** Before the token goes out. */
    void onlyFor(@Nullable UUID peer) {
        onlyFor = peer;
    }

    boolean hasEnded() {
        return ended.isDone();
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Not while it is in a {@link GrantTable}. */
    void deadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Returns what was made of it, which may have ended; null when nobody has opened it. */
    @Nullable
    LentRegion opened() {
        return opened;
    }

    RemoteMemorySnapshot.Granted describeAt(long now) {
        return new RemoteMemorySnapshot.Granted(
                token.length(), token.rights(), RemoteMemorySnapshot.until(deadlineNanos, now), opened != null);
    }

    void markOpened(LentRegion region) {
        opened = region;
    }

    void markEnded() {
        hold.close();
        ended.complete(null);
    }

    void markStuck(RuntimeException why) {
        ended.completeExceptionally(why);
    }

    @Override
    public String toString() {
        return "a grant of " + token.length() + " bytes " + token.rights();
    }
}
