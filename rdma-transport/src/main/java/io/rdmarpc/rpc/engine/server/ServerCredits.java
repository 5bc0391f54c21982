package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.wire.CreditWord;

/**
 * How many requests one client may have on their way to this engine: what was promised, and what is held in the pool
 * until the client is known to have heard of less.
 *
 * <pre>
 *   raise:  a request used the last credit  -> held = promised = twice as many, next version
 *   lower:  the pool is short               -> promised = half, next version; held stays
 *           a request names that version    -> held = promised
 *   return: the client is idle              -> held = promised = 1, next version
 * </pre>
 *
 * Engine thread only.
 */
public final class ServerCredits {

    /** Below this nothing is taken away: one more than in use spares a client the wait for the next. */
    private static final int LEAST_LOWERED = 3;

    private final CreditPool pool;
    private final int window;
    private int version;
    private int promised = 1;
    private int held = 1;
    private int word;

    public ServerCredits(CreditPool pool, int window) {
        this.pool = pool;
        this.window = window;
    }

    /** What every packet to the client says. */
    public int word() {
        return word;
    }

    public int held() {
        return held;
    }

    /** A request names the version the client knew when it was sent. */
    public void onRequest(int knownVersion) {
        if (held > promised && knownVersion == CreditWord.version(word)) {
            pool.giveBack(held - promised);
            held = promised;
        }
    }

    /** The client has used its last credit; true when it gets more. */
    public boolean raise() {
        if (held > promised || promised == window) {
            return false;
        }
        int got = pool.take(Math.min(window, 2 * promised) - promised);
        held += got;
        if (got > 0) {
            promise(held);
        }
        return got > 0;
    }

    /** Takes half away while others get nothing. */
    public void lowerIfShort() {
        if (pool.isShort() && promised >= LEAST_LOWERED && held == promised) {
            promise(promised / 2);
        }
    }

    /** The client has no calls and keeps what it owns. */
    public void onReturn(int knownVersion) {
        if (knownVersion == CreditWord.version(word) && held > 1) {
            close();
            promise(1);
        }
    }

    private void promise(int credits) {
        promised = credits;
        version++;
        word = CreditWord.of(version, credits);
    }

    /** Gives everything back that was borrowed. */
    void close() {
        pool.giveBack(held - 1);
        held = 1;
    }
}
