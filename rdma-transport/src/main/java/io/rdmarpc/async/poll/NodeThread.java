package io.rdmarpc.async.poll;

/** A daemon thread of a node: it must not wait for what threads of the same node do. */
public final class NodeThread extends Thread {

    private final Object node;

    /**
     * Makes a thread, not started.
     *
     * @param node whose thread it is, by identity
     * @param name what it does and the name of the device
     * @param task what it runs
     */
    public NodeThread(Object node, String name, Runnable task) {
        super(task, "rdma-" + name);
        this.node = node;
        setDaemon(true);
    }

    /** Tells whether the calling thread belongs to a node. */
    @SuppressWarnings("ReferenceEquality") // one node, not an equal one
    public static boolean isCurrentOf(Object node) {
        return Thread.currentThread() instanceof NodeThread thread && thread.node == node;
    }
}
