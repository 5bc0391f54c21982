package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.FairPart;
import io.rdmarpc.transport.ReadQueue;
import java.util.ArrayDeque;

/**
 * Where large messages come from: the sessions of one control connection at an engine. What is fetched from there has a fair part of
 * the memory for large messages, of the calls that a server runs at a time, and of the READs in flight. A message over that waits
 * here, without memory. Engine thread only.
 */
final class LargeSource {

    /** READs that wait for their turn at the NIC. */
    final ReadQueue reads;

    final ArrayDeque<LargeRead> waiting = new ArrayDeque<>();
    /** Whether the engine has it among the sources with waiting messages. */
    boolean isQueued;

    private final FairPart bytes;
    private final FairPart calls;

    LargeSource(ReadQueue reads, FairPart bytes, FairPart calls) {
        this.reads = reads;
        this.bytes = bytes;
        this.calls = calls;
    }

    /** Takes what the message needs; false if it has to wait until others from here have been fetched. */
    boolean tryTake(LargeRead read) {
        if (!bytes.hasRoom(read.memoryBytes) || (read.isCall && !calls.hasRoom(1))) {
            return false;
        }
        read.holdsPart = true;
        bytes.take(read.memoryBytes);
        calls.take(read.isCall ? 1 : 0);
        return true;
    }

    /** The message is here, or will not come. Does nothing for one that has taken nothing. */
    void giveBack(LargeRead read) {
        if (read.holdsPart) {
            read.holdsPart = false;
            bytes.giveBack(read.memoryBytes);
            calls.giveBack(read.isCall ? 1 : 0);
        }
    }
}
