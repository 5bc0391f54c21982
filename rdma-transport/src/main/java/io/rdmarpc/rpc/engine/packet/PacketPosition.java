package io.rdmarpc.rpc.engine.packet;

/**
 * The position of the loop among the received packets. The dispatcher writes it, and the handlers of a packet read it.
 * Engine thread only.
 */
public final class PacketPosition {

    private long nowNanos;
    private boolean last;

    /** Returns the time of the messages that are being handled. */
    public long nowNanos() {
        return nowNanos;
    }

    public void at(long timeNanos) {
        nowNanos = timeNanos;
    }

    /**
     * Returns whether the message that is being handled is the last one. Its response need not wait for other
     * responses.
     */
    public boolean isLast() {
        return last;
    }

    public void last(boolean isLast) {
        last = isLast;
    }
}
