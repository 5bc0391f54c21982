package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.RpcCancellation;

/** Interrupts the thread that runs a method that streams when its client has gone, and not a moment after it is done. */
final class StreamInterrupt implements RpcCancellation.Scope {

    private final Thread worker;
    private boolean fired;
    private boolean over;

    private StreamInterrupt(Thread worker) {
        this.worker = worker;
    }

    static StreamInterrupt of(ServerCall call, Thread worker) {
        StreamInterrupt interrupt = new StreamInterrupt(worker);
        call.onCancel(interrupt::fire);
        return interrupt;
    }

    private synchronized void fire() {
        if (!over) {
            fired = true;
            worker.interrupt();
        }
    }

    @Override
    public synchronized void close() {
        over = true;
        if (fired) {
            // It was for what ran until now.
            Thread.interrupted();
        }
    }
}
