package io.rdmarpc.async;

/** A daemon thread of a node: it must not wait for what threads of the same node do. */
final class NodeThread extends Thread {

    private final NodeCore node;

    NodeThread(NodeCore node, String name, Runnable task) {
        super(task, "rdma-" + name + "-" + node.deviceName());
        this.node = node;
        setDaemon(true);
    }

    static boolean isCurrentOf(NodeCore node) {
        return Thread.currentThread() instanceof NodeThread thread && thread.node == node;
    }
}
