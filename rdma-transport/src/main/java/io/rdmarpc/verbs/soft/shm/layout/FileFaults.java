package io.rdmarpc.verbs.soft.shm.layout;

import java.util.function.BooleanSupplier;

/**
 * What is read or written in a mapped file that another process can shorten: without native access memory cannot be sealed. Java reports
 * an access behind a file's end by an {@link InternalError}, which is thrown some time after the access, where the thread next calls
 * out of compiled code. Here that is before {@link #holds} returns, so the fault is known to be of this file, and ends nothing else.
 */
public final class FileFaults {

    private static final Object NOT_HELD = new Object();

    private boolean torn;

    /** Tells whether an access has failed: the memory is not to be touched any more. */
    public boolean isTorn() {
        return torn;
    }

    /** Looks at the file; false also when it has been shortened, now or before. */
    public boolean holds(BooleanSupplier access) {
        if (torn) {
            return false;
        }
        try {
            boolean found = access.getAsBoolean();
            surface();
            return found;
        } catch (InternalError e) {
            torn = true;
            return false;
        }
    }

    /** Writes to the file, unless it has been shortened. */
    public void touch(Runnable access) {
        boolean _ = holds(() -> {
            access.run();
            return true;
        });
    }

    /**
     * Has a fault of an access before this be thrown here: the JVM looks for one when a native method returns, and this is the cheapest
     * of those.
     */
    private static void surface() {
        if (Thread.holdsLock(NOT_HELD)) {
            throw new AssertionError("nobody takes this lock");
        }
    }
}
