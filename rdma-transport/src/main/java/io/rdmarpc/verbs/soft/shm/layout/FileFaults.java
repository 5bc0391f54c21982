package io.rdmarpc.verbs.soft.shm.layout;

import java.util.function.BooleanSupplier;

/**
 * Accesses a mapped file that another process can shorten, because without native access memory cannot be sealed. Java
 * reports an access beyond a file's end by an {@link InternalError}. The JVM throws it some time later, when the thread
 * next calls out of compiled code. Here this happens before {@link #holds} returns, so that the fault belongs to this
 * file and affects no other operation.
 */
public final class FileFaults {

    private static final Object NOT_HELD = new Object();

    private boolean torn;

    /** Returns whether an access has failed; the memory must then not be accessed again. */
    public boolean isTorn() {
        return torn;
    }

    /** Runs an access and returns its result; false also if the file has been shortened. */
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

    /** Runs an access, unless the file has been shortened. */
    public void touch(Runnable access) {
        boolean _ = holds(() -> {
            access.run();
            return true;
        });
    }

    /**
     * Makes the JVM throw the fault of an earlier access here. The JVM checks for one when a native method returns, and
     * this is the cheapest native method.
     */
    private static void surface() {
        if (Thread.holdsLock(NOT_HELD)) {
            throw new AssertionError("no thread locks this object");
        }
    }
}
