package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.wire.CreditWord;

/**
 * The number of requests that one client may have in flight to this engine. The engine tracks two numbers: the credits
 * promised to the client, and the credits held in the pool. The held number is lowered only when the client is known to
 * have received a lower promise.
 *
 * <pre>
 *   raise:  a request used the last credit  -> held = promised = 2 x promised, next version
 *   lower:  the pool is short               -> promised = promised / 2, next version; held is unchanged
 *           a request has that version      -> held = promised
 *   return: the client is idle              -> held = promised = 1, next version
 * </pre>
 *
 * Engine thread only.
 */
public final class ServerCredits {

    /** A promise below this is not lowered, because the client does not wait as long as it has one unused credit. */
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

    /** Returns the credit word of every packet to the client. */
    public int word() {
        return word;
    }

    public int held() {
        return held;
    }

    /** Handles a request, which carries the version that the client knew when it sent the request. */
    public void onRequest(int knownVersion) {
        if (held > promised && knownVersion == CreditWord.version(word)) {
            pool.giveBack(held - promised);
            held = promised;
        }
    }

    /** Raises the promise because the client has used its last credit; returns true if it gets more credits. */
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

    /** Halves the promise while the pool is short of credits. */
    public void lowerIfShort() {
        if (pool.isShort() && promised >= LEAST_LOWERED && held == promised) {
            promise(promised / 2);
        }
    }

    /** Lowers the promise to the owned credit, because the client has no calls. */
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

    /** Returns all borrowed credits. */
    void close() {
        pool.giveBack(held - 1);
        held = 1;
    }
}
