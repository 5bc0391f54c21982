package io.rdmarpc.rpc.engine.packet;

/** Where the loop is among the packets that have come: written by the dispatcher, read by what follows from a packet. Engine thread only. */
public final class PacketPosition {

    private long nowNanos;
    private boolean last;

    /** Returns the time of the messages that are being taken. */
    public long nowNanos() {
        return nowNanos;
    }

    public void at(long timeNanos) {
        nowNanos = timeNanos;
    }

    /** Returns whether a message is being taken and is the last one there is: its response waits for no other. */
    public boolean isLast() {
        return last;
    }

    public void last(boolean isLast) {
        last = isLast;
    }
}
