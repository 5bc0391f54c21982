package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;

/**
 * Sends the client's control packets without waiting for a response. They may be lost. The server sends a large
 * response again until it is released, and observes the deadline of a call itself. The client repeats the return of
 * credits. Engine thread only.
 */
final class ClientControlPackets {

    private final Transmitter transmitter;
    private final EngineCounters counters;

    ClientControlPackets(Transmitter transmitter, EngineCounters counters) {
        this.transmitter = transmitter;
        this.counters = counters;
    }

    /** Reports that the client does not need the response of a call, or no longer needs it. */
    void release(ClientSession session, long requestIndex) {
        send(PacketType.RELEASE, session, requestIndex);
    }

    /** Reports that the caller has cancelled a call or that its deadline has passed. */
    void cancel(ClientSession session, long requestIndex) {
        send(PacketType.CANCEL, session, requestIndex);
    }

    private void send(int type, ClientSession session, long requestIndex) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            counters.drop(Drop.NO_BUFFER);
            return;
        }
        PacketHeader.write(block.memory(), 0, type, 0, 0, session.peerId, session.cookie, requestIndex, 0, 0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }

    /**
     * Returns borrowed credits. The packet is a release of a call that has ended, whose response is no longer needed.
     */
    void returnCredits(ClientSession session) {
        RegisteredBlock block = transmitter.tryTakeBlock();
        if (block == null) {
            return;
        }
        PacketHeader.write(
                block.memory(),
                0,
                PacketType.RELEASE,
                session.credits.version(),
                PacketHeader.FLAG_RETURN_CREDITS,
                session.peerId,
                session.cookie,
                session.slot(0).requestIndex,
                0,
                0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }
}
