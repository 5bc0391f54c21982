package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded queue from any thread to one: Vyukov's intrusive linked queue. A producer does one atomic exchange and
 * one store, the consumer usually a load; nothing is allocated.
 *
 * <pre>
 * head (consumer's)                          tail (producers')
 *   |                                          |
 *   v                                          v
 *  node --next--> node --next--> node   ...   node
 * </pre>
 *
 * <p>A producer first becomes the tail, then links its predecessor to itself. In between the chain has a gap and
 * {@link #poll} sees an end there, but {@link #isEmpty} already says no. A stub takes the place of the last element, so
 * that there always is one.
 *
 * @param <T> the elements; each may be in one queue at a time, and again after it was polled
 */
@SuppressWarnings("ReferenceEquality") // nodes are compared by identity, whatever equals() their class has
public final class MpscInbox<T extends InboxNode> {

    private static final VarHandle TAIL = tailHandle();

    private final InboxNode stub = new InboxNode() {};
    private InboxNode head = stub;
    private volatile InboxNode tail = stub;

    /** Creates an empty inbox. */
    public MpscInbox() {}

    private static VarHandle tailHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(MpscInbox.class, "tail", InboxNode.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Appends an element. Any thread; wait-free. What was written before is visible to whoever polls it.
     *
     * @param node in no queue now
     * @throws IllegalStateException when it is in a queue
     */
    public void offer(T node) {
        if (node.queued) {
            throw new IllegalStateException("already in an inbox: " + node);
        }
        node.queued = true;
        append(node);
    }

    private void append(InboxNode node) {
        becomeTail(node).linkTo(node);
    }

    /** The first half of appending: between this and linking the predecessor returned, the chain has a gap. */
    InboxNode becomeTail(InboxNode node) {
        node.unlink();
        return (InboxNode) TAIL.getAndSet(this, node);
    }

    /**
     * Takes the first element. The consumer's thread only.
     *
     * @return the element, or null when there is none or the next one is still being linked
     */
    public @Nullable T poll() {
        InboxNode first = head == stub ? skipStub() : head;
        if (first == null) {
            return null;
        }
        InboxNode second = first.next();
        if (second == null) {
            second = replaceLast(first);
        }
        if (second == null) {
            return null;
        }
        head = second;
        return polled(first);
    }

    private @Nullable InboxNode skipStub() {
        InboxNode first = stub.next();
        if (first != null) {
            head = first;
        }
        return first;
    }

    /** Puts the stub behind the last element, so that the element can leave. */
    private @Nullable InboxNode replaceLast(InboxNode last) {
        if (last == tail) {
            append(stub);
        }
        return last.next();
    }

    @SuppressWarnings("unchecked") // only offer() adds elements, and the stub never gets here
    private T polled(InboxNode node) {
        node.unlink();
        node.queued = false;
        return (T) node;
    }

    /**
     * Tells whether every element offered so far was polled. The consumer's thread only. An element counts from the
     * moment {@link #offer} takes effect, so a consumer that sees true and was not woken may sleep.
     *
     * @return false as long as there is something to poll, now or in a moment
     */
    public boolean isEmpty() {
        return tail == stub && head == stub;
    }
}
