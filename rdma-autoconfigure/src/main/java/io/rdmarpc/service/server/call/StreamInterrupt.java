package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.RpcCancellation;

/**
 * Interrupts the thread of a method that streams when its client has ended the stream, but not after the method has
 * returned.
 */
final class StreamInterrupt implements RpcCancellation.Scope {

    private final Thread worker;
    private boolean fired;
    private boolean finished;

    private StreamInterrupt(Thread worker) {
        this.worker = worker;
    }

    static StreamInterrupt of(ServerCall call, Thread worker) {
        StreamInterrupt interrupt = new StreamInterrupt(worker);
        call.onCancel(interrupt::fire);
        return interrupt;
    }

    private synchronized void fire() {
        if (!finished) {
            fired = true;
            worker.interrupt();
        }
    }

    @Override
    public synchronized void close() {
        finished = true;
        if (fired) {
            // Clears an interrupt that was meant for the code that has ended.
            Thread.interrupted();
        }
    }
}
