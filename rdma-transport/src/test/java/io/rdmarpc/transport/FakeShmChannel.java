package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A shared-memory channel of one queue pair, which receives the datagrams that a test provides and sends nothing. */
public final class FakeShmChannel implements ShmDatagramChannel {

    private final int sourceQpn;
    private final Gid source;
    private int inbound = 1;
    private int polls;
    private IntFunction<byte @Nullable []> found = _ -> null;

    /** Creates a channel with one path, from a peer. */
    public FakeShmChannel(int sourceQpn, Gid source) {
        this.sourceQpn = sourceQpn;
        this.source = source;
    }

    /** Sets the number of paths. */
    public void inbound(int count) {
        inbound = count;
    }

    /** Sets what each poll returns, counted from 1: a datagram or null. */
    public void finds(IntFunction<byte @Nullable []> datagramOfPoll) {
        polls = 0;
        found = datagramOfPoll;
    }

    /** Returns the number of polls since {@link #finds} was called. */
    public int polls() {
        return polls;
    }

    @Override
    public boolean send(long addressHandle, int remoteQpn, int remoteQkey, long address, int length, int lkey) {
        return false;
    }

    @Override
    public void flush() {}

    @Override
    public int poll(Receiver receiver, int max) {
        byte[] datagram = found.apply(++polls);
        if (datagram == null) {
            return 0;
        }
        long at = receiver.room(datagram.length);
        MemorySegment.copy(MemorySegment.ofArray(datagram), 0, receiver.memory(), at, datagram.length);
        receiver.onDatagram(datagram.length, sourceQpn, source.high(), source.low());
        return 1;
    }

    @Override
    public int inbound() {
        return inbound;
    }
}
