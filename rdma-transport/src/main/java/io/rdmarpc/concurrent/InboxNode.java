package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** What an {@link MpscInbox} holds: the link is part of the element, so offering allocates nothing. */
public abstract class InboxNode {

    private static final VarHandle NEXT = nextHandle();

    @SuppressWarnings("UnusedVariable") // read through NEXT
    private @Nullable InboxNode next;

    /** Belongs to whoever owns the node: the producer before offering, the consumer when polling. */
    boolean queued;

    /** For subclasses. */
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

    /** Only while no other thread can reach the node. */
    final void unlink() {
        next = null;
    }
}
