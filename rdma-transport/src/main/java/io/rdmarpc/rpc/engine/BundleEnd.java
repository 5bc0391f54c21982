package io.rdmarpc.rpc.engine;

/**
 * What follows when a packet of several messages was taken: what they have led to is done, and packets that are full by it
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

    void onEnd(long nowNanos) {
        int _ = commands.runOwn(nowNanos);
        transmitter.sendFull();
    }
}
