package io.rdmarpc.rpc.engine;

/**
 * What follows when a packet of several messages, or a large message, was taken: what they have led to is done, and packets that are full by it
 * leave before the next one is looked at. Otherwise both ends of a busy session work in turn: one takes all there is, sends
 * all that follows from it, and has nothing to do until the other has done the same. Engine thread only.
 */
final class BundleEnd {

    private final CommandQueue commands;
    private final Transmitter transmitter;

    BundleEnd(CommandQueue commands, Transmitter transmitter) {
        this.commands = commands;
        this.transmitter = transmitter;
    }

    /** A large message may have been worked on at once, for longer than a packet takes: what it has led to leaves now. */
    void onLarge(long nowNanos) {
        int _ = commands.runOwn(nowNanos);
        transmitter.send();
    }

    void onEnd(long nowNanos) {
        int _ = commands.runOwn(nowNanos);
        transmitter.sendFull();
    }
}
