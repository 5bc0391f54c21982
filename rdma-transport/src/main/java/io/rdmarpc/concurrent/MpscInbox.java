package io.rdmarpc.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded queue with many producers and one consumer: Vyukov's intrusive linked queue. A producer executes one
 * atomic exchange and one store, the consumer usually one load. The queue allocates nothing.
 *
 * <pre>
 * head (consumer's)                          tail (producers')
 *   |                                          |
 *   v                                          v
 *  node --next--> node --next--> node   ...   node
 * </pre>
 *
 * <p>A producer first makes its node the tail, then links the predecessor to it. In between the chain has a gap: {@link
 * #poll} sees an end there, but {@link #isEmpty} already returns false. A stub replaces the last element when that is
 * polled, so that the chain is never empty.
 *
 * @param <T> type of the elements; an element may be in one queue at a time, and may be offered again after it was
 *     polled
 */
@SuppressWarnings("ReferenceEquality") // nodes are compared by identity, independently of equals() of their class
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
     * Appends an element. Thread-safe and wait-free. The consumer that polls the element sees everything that the
     * caller wrote before.
     *
     * @param node an element that is in no queue
     * @throws IllegalStateException if it is in a queue
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

    /**
     * The first half of appending. Until the caller links the returned predecessor to the node, the chain has a gap.
     */
    InboxNode becomeTail(InboxNode node) {
        node.unlink();
        return (InboxNode) TAIL.getAndSet(this, node);
    }

    /**
     * Removes and returns the first element. Only the consumer's thread calls it.
     *
     * @return the element, or null if there is none or the next one is still being linked
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

    /** Appends the stub after the last element, so that the element can be removed. */
    private @Nullable InboxNode replaceLast(InboxNode last) {
        if (last == tail) {
            append(stub);
        }
        return last.next();
    }

    @SuppressWarnings("unchecked") // only offer() adds elements, and the stub never reaches this method
    private T polled(InboxNode node) {
        node.unlink();
        node.queued = false;
        return (T) node;
    }

    /**
     * Returns whether every element offered so far was polled. Only the consumer's thread calls it. An element counts
     * from the moment {@link #offer} takes effect. A consumer that sees true and was not woken may therefore sleep.
     *
     * @return false while there is an element to poll, including one that is still being linked
     */
    public boolean isEmpty() {
        return tail == stub && head == stub;
    }
}
