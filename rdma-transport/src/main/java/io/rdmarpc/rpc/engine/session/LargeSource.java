package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.transport.FairPart;
import io.rdmarpc.transport.ReadQueue;
import java.util.ArrayDeque;

/**
 * Where large messages come from: the sessions of one control connection at an engine. What is fetched from there has a fair part of
 * the memory for large messages, of the calls that a server runs at a time, and of the READs in flight, until it is here. A message
 * over that waits here, without memory. Engine thread only.
 */
public final class LargeSource {

    /** READs that wait for their turn at the NIC. */
    public final ReadQueue reads;

    public final ArrayDeque<LargeRead> waiting = new ArrayDeque<>();
    /** Whether the engine has it among the sources with waiting messages. */
    public boolean isQueued;

    private final FairPart bytes;
    private final FairPart calls;

    public LargeSource(ReadQueue reads, FairPart bytes, FairPart calls) {
        this.reads = reads;
        this.bytes = bytes;
        this.calls = calls;
    }

    /** Takes room for the call that the message is the request of, if it is one; false if there is none. */
    public boolean tryTakeCall(LargeRead read) {
        if (!read.isCall || read.holdsCall) {
            return true;
        }
        read.holdsCall = calls.hasRoom(1);
        calls.take(read.holdsCall ? 1 : 0);
        return read.holdsCall;
    }

    /** Takes all that the message needs; false if it has to wait until others from here have been fetched. */
    public boolean tryTake(LargeRead read) {
        if (!bytes.hasRoom(read.memoryBytes) || !tryTakeCall(read)) {
            return false;
        }
        read.holdsMemory = true;
        bytes.take(read.memoryBytes);
        return true;
    }

    /** The message is here, or will not come. Does nothing for one that has taken nothing. */
    public void giveBack(LargeRead read) {
        if (read.holdsCall) {
            read.holdsCall = false;
            calls.giveBack(1);
        }
        if (read.holdsMemory) {
            read.holdsMemory = false;
            bytes.giveBack(read.memoryBytes);
        }
    }
}
