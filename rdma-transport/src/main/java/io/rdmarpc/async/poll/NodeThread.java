package io.rdmarpc.async.poll;

/** A daemon thread of a node. It must not wait for work of other threads of the same node. */
public final class NodeThread extends Thread {

    private final Object node;

    /**
     * Creates a thread without starting it.
     *
     * @param node the node of the thread, compared by identity
     * @param name the purpose of the thread and the device name
     * @param task the task to run
     */
    public NodeThread(Object node, String name, Runnable task) {
        super(task, "rdma-" + name);
        this.node = node;
        setDaemon(true);
    }

    /** Returns whether the calling thread belongs to this node. */
    @SuppressWarnings("ReferenceEquality") // Nodes are compared by identity.
    public static boolean isCurrentOf(Object node) {
        return Thread.currentThread() instanceof NodeThread thread && thread.node == node;
    }
}
