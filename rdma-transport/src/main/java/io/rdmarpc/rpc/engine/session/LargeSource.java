package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.transport.FairPart;
import io.rdmarpc.transport.ReadQueue;
import java.util.ArrayDeque;

/**
 * The source of large messages: the sessions of one control connection at an engine. A message being READ holds fair
 * parts of the memory for large messages, of the server's concurrent calls, and of the READs in flight. A message
 * beyond the source's part waits here without memory. Engine thread only.
 */
public final class LargeSource {

    /** READs that wait for the NIC. */
    public final ReadQueue reads;

    public final ArrayDeque<LargeRead> waiting = new ArrayDeque<>();
    /** Whether the engine's queue of sources with waiting messages contains it. */
    public boolean isQueued;

    private final FairPart bytes;
    private final FairPart calls;

    public LargeSource(ReadQueue reads, FairPart bytes, FairPart calls) {
        this.reads = reads;
        this.bytes = bytes;
        this.calls = calls;
    }

    /** Takes a call from the source's part if the message is a request. Returns false if no call is left. */
    public boolean tryTakeCall(LargeRead read) {
        if (!read.isCall || read.holdsCall) {
            return true;
        }
        read.holdsCall = calls.hasRoom(1);
        calls.take(read.holdsCall ? 1 : 0);
        return read.holdsCall;
    }

    /**
     * Takes the call and the memory that the message needs from the source's parts. Returns false if it has to wait
     * until other messages of this source have been READ.
     */
    public boolean tryTake(LargeRead read) {
        if (!bytes.hasRoom(read.memoryBytes) || !tryTakeCall(read)) {
            return false;
        }
        read.holdsMemory = true;
        bytes.take(read.memoryBytes);
        return true;
    }

    /** Returns what the message has taken, after it was READ or has failed. Does nothing if it has taken nothing. */
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
