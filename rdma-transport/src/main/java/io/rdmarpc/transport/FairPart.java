package io.rdmarpc.transport;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The part that one user may take of something that has a limit and that all share. Users form a tree: the whole, its peers, their
 * control connections. Each may take half of what the others at its level leave free, so that the next user always finds some.
 *
 * <pre>
 *   free  of the whole = limit - taken             64 READs, 16 taken by peer A          48 free
 *   limit of a part    = (free + own + 1) / 2      A: (48 + 16 + 1) / 2 = 32             16 more for A
 *                                                  a connection of A: (16 + 0 + 1) / 2 =  8
 * </pre>
 *
 * <p>A part that has nothing may take any amount that its whole allows: something larger than the part passes alone. Owned by one
 * engine; engine thread only.
 */
public final class FairPart {

    private final @Nullable FairPart whole;
    private final LongSupplier limit;
    private long taken;

    private FairPart(@Nullable FairPart whole, LongSupplier limit) {
        this.whole = whole;
        this.limit = limit;
    }

    /**
     * Makes the whole.
     *
     * @param limit what there is of it, asked each time; in whatever unit the amounts have
     * @return the root of a tree, without users
     */
    public static FairPart whole(LongSupplier limit) {
        return new FairPart(null, limit);
    }

    /**
     * Makes a part. It needs no end: give back what it has taken.
     *
     * @return a new user of this one's part
     */
    public FairPart part() {
        return new FairPart(this, limit);
    }

    /**
     * Returns whether an amount may be taken now. The whole itself refuses nothing: its owner enforces its limit.
     *
     * @param amount how much, over 0
     * @return true if the part has nothing, or if so much is left for it, at each level
     */
    public boolean hasRoom(long amount) {
        FairPart of = whole;
        return of == null || ((taken == 0 || amount <= free()) && of.hasRoom(amount));
    }

    private long free() {
        FairPart of = whole;
        return of == null ? Math.max(0, limit.getAsLong() - taken) : Math.max(0, (of.free() + taken + 1) / 2 - taken);
    }

    /**
     * Takes an amount, here and at each level above.
     *
     * @param amount how much
     */
    public void take(long amount) {
        taken += amount;
        if (whole != null) {
            whole.take(amount);
        }
    }

    /**
     * Gives an amount back.
     *
     * @param amount how much, taken before
     */
    public void giveBack(long amount) {
        take(-amount);
    }

    /**
     * Returns what is taken, parts of this one included.
     *
     * @return the amount now
     */
    public long taken() {
        return taken;
    }
}
