package io.rdmarpc.remote.lender;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The remote memory that made a grant. Any thread. */
public interface GrantOwner {

    /** Returns the identity of the owner in tokens. */
    UUID id();

    /** Extends or shortens a grant asynchronously. */
    void extend(LocalGrant grant, Duration lease);

    /** Starts to end a grant. */
    void end(LocalGrant grant);

    /** Waits until a grant has ended; does not wait on a thread that runs listeners. */
    void awaitEnd(LocalGrant grant, CompletableFuture<Void> end);

    /** Returns a future whose callbacks do not run on the control thread. */
    <T> CompletableFuture<T> offControlThread(CompletableFuture<T> inner);
}
