package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;

/** Client, what it tells its server without waiting for an answer: it may be lost, then the server asks. Engine thread only. */
final class ClientControlPackets {

    private final Transmitter transmitter;
    private final EngineCounters counters;

    ClientControlPackets(Transmitter transmitter, EngineCounters counters) {
        this.transmitter = transmitter;
        this.counters = counters;
    }

    /** A call's answer is not needed, or not any more. */
    void release(ClientSession session, long requestIndex) {
        send(PacketType.RELEASE, session, requestIndex);
    }

    /** The caller has given a call up. */
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

    /** Borrowed credits go back. Rides on the release of a call that has ended: nobody needs its answer. */
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
                session.slots[0].requestIndex,
                0,
                0);
        transmitter.sendOnce(transmitter.acquire(session.path, block, 0, PacketHeader.BYTES));
    }
}
