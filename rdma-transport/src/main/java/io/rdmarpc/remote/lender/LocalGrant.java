package io.rdmarpc.remote.lender;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.support.LeaseDurations;
import io.rdmarpc.remote.wire.TokenSecret;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A grant with its memory, its deadline, and the region of the peer that opened it. Any thread. */
public final class LocalGrant implements RegionGrant {

    private final GrantOwner owner;
    private final RegionToken token;
    private final TokenSecret secret;
    private final MemorySegment memory;
    private final LocalRegion.Hold hold;
    private volatile @Nullable UUID onlyFor;
    private volatile @Nullable WriteListener listener;
    private volatile @Nullable NotificationHandler handler;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Control thread.
    private long deadlineNanos;
    private @Nullable LentRegion opened;

    public LocalGrant(
            GrantOwner owner,
            RegionToken token,
            TokenSecret secret,
            MemorySegment memory,
            LocalRegion.Hold hold,
            @Nullable UUID onlyFor,
            long deadlineNanos) {
        this.owner = owner;
        this.token = token;
        this.secret = secret;
        this.memory = memory;
        this.hold = hold;
        this.onlyFor = onlyFor;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public RegionToken token() {
        return token;
    }

    @Override
    public Set<RemoteRight> rights() {
        return token.rights();
    }

    @Override
    public CompletableFuture<Void> ended() {
        return owner.offControlThread(ended);
    }

    @Override
    public void renew(Duration lease) {
        LeaseDurations.check(lease);
        owner.extend(this, lease);
    }

    @Override
    public void close() {
        CompletableFuture<Void> end = closeAsync();
        owner.awaitEnd(this, end);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        owner.end(this);
        return ended();
    }

    @Override
    public LocalGrant onWrite(WriteListener newListener) {
        listener = newListener;
        return this;
    }

    /** Sets a handler that gets the notifications of this grant instead of its listener. */
    public void onNotification(NotificationHandler newHandler) {
        handler = newHandler;
    }

    public @Nullable NotificationHandler notificationHandler() {
        return handler;
    }

    public @Nullable WriteListener listener() {
        return listener;
    }

    MemorySegment memory() {
        return memory;
    }

    boolean isFor(@Nullable UUID peer) {
        UUID only = onlyFor;
        return only == null || only.equals(peer);
    }

    /** Restricts the grant to one peer. Call it before the token is sent. */
    public void onlyFor(@Nullable UUID peer) {
        onlyFor = peer;
    }

    TokenSecret secret() {
        return secret;
    }

    public boolean hasEnded() {
        return ended.isDone();
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Sets the deadline. The grant must not be in a {@link GrantTable}. */
    void deadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Returns the region of the peer that opened the grant, which may have ended; null if no peer has opened it. */
    @Nullable
    LentRegion opened() {
        return opened;
    }

    RemoteMemorySnapshot.Granted describeAt(long now) {
        return new RemoteMemorySnapshot.Granted(
                token.length(), token.rights(), LeaseTable.remaining(deadlineNanos, now), opened != null);
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
