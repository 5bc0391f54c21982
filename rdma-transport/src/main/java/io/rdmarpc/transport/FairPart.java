package io.rdmarpc.transport;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One user's part of a limited resource that several users share. Users form a tree: the whole resource, peers, and
 * their control connections. Each part may take half of the amount that the others at its level leave free, so that the
 * next user always finds some.
 *
 * <pre>
 *   free  of the whole = limit - taken             64 READs, 16 taken by peer A          48 free
 *   limit of a part    = (free + own + 1) / 2      A: (48 + 16 + 1) / 2 = 32             16 more for A
 *                                                  a connection of A: (16 + 0 + 1) / 2 =  8
 * </pre>
 *
 * <p>A part that holds nothing may take any amount that the whole allows, so that a single amount larger than its part
 * is possible. Owned by one engine; engine thread only.
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
     * Creates the whole.
     *
     * @param limit returns the current limit of the resource, in the unit of the amounts
     * @return the root of a tree, without users
     */
    public static FairPart whole(LongSupplier limit) {
        return new FairPart(null, limit);
    }

    /**
     * Creates a part. It needs no close, because its user gives back all amounts.
     *
     * @return a new part of this one
     */
    public FairPart part() {
        return new FairPart(this, limit);
    }

    /**
     * Returns whether an amount may be taken now. The whole itself always has room: its owner enforces the limit.
     *
     * @param amount the amount, above 0
     * @return true if the part holds nothing or has that much left, at each level
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
     * @param amount the amount
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
     * @param amount an amount that was taken before
     */
    public void giveBack(long amount) {
        take(-amount);
    }

    /**
     * Returns the amount that is taken, parts of this one included.
     *
     * @return the current amount
     */
    public long taken() {
        return taken;
    }
}
