package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.wire.CreditWord;

/**
 * The number of requests that a session may have in flight. It is limited by the server's credits, and by one entry of
 * the local receive ring for each response beyond the first. The two limits are separate, so that neither end overruns
 * the other. Engine thread only.
 */
public final class ClientCredits {

    private final CreditPool pool;
    private final int window;
    private int word;
    private int owned = 1;
    private int allowed = 1;
    private boolean returning;

    public ClientCredits(CreditPool pool, int window) {
        this.pool = pool;
        this.window = window;
    }

    /** Applies the credit word of a packet; returns true if it allows more requests than before. */
    public boolean onWord(int fresh) {
        if (fresh == word || !CreditWord.isNewer(CreditWord.version(fresh), CreditWord.version(word))) {
            return false;
        }
        int before = allowed;
        word = fresh;
        returning = false;
        allowed = Math.min(window, CreditWord.credits(fresh));
        return allowed > before;
    }

    /** Returns the version of the newest credit word, for the requests. */
    public int version() {
        return CreditWord.version(word);
    }

    public int allowed() {
        return allowed;
    }

    /** Returns whether the server allows one more request. */
    public boolean isAllowed(int active) {
        return active < allowed;
    }

    /** Reserves a ring entry for a response; returns false if none is free. */
    boolean tryStart(int active) {
        return active == 0 || pool.take(1) == 1;
    }

    /** Returns the ring entry of a call that has ended; {@code active} calls remain. */
    void onEnd(int active) {
        if (active > 0) {
            pool.giveBack(1);
        }
    }

    /**
     * Returns whether a request should request more credits, with the given number of active calls including its own.
     */
    public boolean isUsedUp(int active) {
        return active >= allowed && allowed < window;
    }

    /**
     * Returns whether the client has to notify the server, possibly again, that an idle session keeps only the credits
     * it owns.
     */
    public boolean isReturnDue() {
        return allowed > owned || returning;
    }

    /** Limits the session to the credits it owns. Until the server has confirmed that, every packet reports it. */
    public void giveBack() {
        allowed = owned;
        returning = true;
    }

    public boolean isReturning() {
        return returning;
    }

    /** Sets the owned credits for peers that have agreed on more than one. */
    public void own(int credits) {
        owned = credits;
        allowed = credits;
    }
}
