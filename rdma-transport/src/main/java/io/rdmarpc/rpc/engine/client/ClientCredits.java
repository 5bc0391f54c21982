package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.wire.CreditWord;

/**
 * How many requests a session may have on their way: what the server allows, and an entry of the own receive ring for
 * each answer beyond the first. The two are separate: neither end overruns the other. Engine thread only.
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

    /** A packet of the server; true when it allows more than before. */
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

    /** The newest change this end knows of, for the requests. */
    public int version() {
        return CreditWord.version(word);
    }

    public int allowed() {
        return allowed;
    }

    /** Tells whether the server allows one more request. */
    public boolean isAllowed(int active) {
        return active < allowed;
    }

    /** Takes room for an answer; false when the own ring is spoken for. */
    boolean tryStart(int active) {
        return active == 0 || pool.take(1) == 1;
    }

    /** A call has ended; so many are left. */
    void onEnd(int active) {
        if (active > 0) {
            pool.giveBack(1);
        }
    }

    /** Whether a request that makes so many calls active should ask for more. */
    public boolean isUsedUp(int active) {
        return active >= allowed && allowed < window;
    }

    /** Whether the server has to hear, or to hear again, that an idle session keeps only what it owns. */
    public boolean isReturnDue() {
        return allowed > owned || returning;
    }

    /** From now on the session uses only what it owns; until the server has answered, every packet says so. */
    public void giveBack() {
        allowed = owned;
        returning = true;
    }

    public boolean isReturning() {
        return returning;
    }

    /** For ends that have agreed on more than one credit for good. */
    public void own(int credits) {
        owned = credits;
        allowed = credits;
    }
}
