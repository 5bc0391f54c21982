package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** An element of an {@link MpscInbox}. The link is part of the element, so that offering allocates nothing. */
public abstract class InboxNode {

    private static final VarHandle NEXT = nextHandle();

    @SuppressWarnings("UnusedVariable") // read through NEXT
    private @Nullable InboxNode next;

    /**
     * Whether the node is in a queue. Only the node's current owner accesses it: the producer, or the consumer that
     * polls it.
     */
    boolean queued;

    /** Constructor for subclasses. */
    protected InboxNode() {}

    private static VarHandle nextHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(InboxNode.class, "next", InboxNode.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final @Nullable InboxNode next() {
        return (InboxNode) NEXT.getAcquire(this);
    }

    final void linkTo(InboxNode successor) {
        NEXT.setRelease(this, successor);
    }

    /** Clears the link. The caller ensures that no other thread can reach the node. */
    final void unlink() {
        next = null;
    }
}
