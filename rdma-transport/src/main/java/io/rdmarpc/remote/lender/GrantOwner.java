package io.rdmarpc.remote.lender;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Where a grant was made, as the grant sees it. Any thread. */
public interface GrantOwner {

    /** Names it in tokens. */
    UUID id();

    /** Lends a grant for longer, or shorter, soon. */
    void extend(LocalGrant grant, Duration lease);

    /** Begins to end a grant. */
    void end(LocalGrant grant);

    /** Waits until a grant has ended; a thread that runs a listener does not wait. */
    void awaitEnd(LocalGrant grant, CompletableFuture<Void> end);

    /** Returns a future whose actions do not run on the control thread. */
    <T> CompletableFuture<T> offControlThread(CompletableFuture<T> inner);
}
