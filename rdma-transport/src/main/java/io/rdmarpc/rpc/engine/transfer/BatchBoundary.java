package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.rpc.engine.context.CommandQueue;
import io.rdmarpc.rpc.engine.packet.Transmitter;

/**
 * The boundary after a packet of several messages or after a large message. The commands that the messages have caused
 * run, and full packets are sent, before the next packet is handled. Otherwise, the two ends of a busy session would
 * work alternately. One end would handle all its packets, send the resulting packets, and be idle until the other end
 * has done the same. Engine thread only.
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
     * Handles the end of a large message that was viewed at once. Handling it took longer than sending a packet, so the
     * resulting packets are sent now.
     *
     * @return the current time
     */
    public long onLarge(long nowNanos) {
        if (!transfers.viewedAtOnce()) {
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
