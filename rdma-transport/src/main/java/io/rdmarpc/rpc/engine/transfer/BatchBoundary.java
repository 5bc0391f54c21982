package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.packet.Transmitter;

/**
 * What follows when a packet of several messages, or a large message, was taken: what they have led to is done, and packets
 * that are full by it leave before the next one is looked at. Otherwise both ends of a busy session work in turn: one takes
 * all there is, sends all that follows from it, and has nothing to do until the other has done the same. Engine thread only.
 */
public final class BatchBoundary {

    private final CommandQueue commands;
    private final Transmitter transmitter;
    private final LargeTransfers transfers;
    private final NanoClock clock;

    public BatchBoundary(CommandQueue commands, Transmitter transmitter, LargeTransfers transfers, NanoClock clock) {
        this.commands = commands;
        this.transmitter = transmitter;
        this.transfers = transfers;
        this.clock = clock;
    }

    /**
     * A large message that was seen at once has been worked on for longer than a packet takes: what it has led to leaves now.
     *
     * @return the time
     */
    public long onLarge(long nowNanos) {
        if (!transfers.sawAtOnce()) {
            return nowNanos;
        }
        long now = clock.nanoTime();
        int _ = commands.runOwn(now);
        transmitter.send();
        return now;
    }

    public void onEnd(long nowNanos) {
        int _ = commands.runOwn(nowNanos);
        transmitter.sendFull();
    }
}
