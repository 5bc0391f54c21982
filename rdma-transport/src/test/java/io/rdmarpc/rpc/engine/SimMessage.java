package io.rdmarpc.rpc.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Messages with a defined content, by which both ends detect wrong bytes and bytes of another call.
 *
 * <pre>
 *   request   id 8 | length of the response 4 | action of the server 4 | bytes of the id ...    at least 16 bytes
 *   response  bytes of ~id ...
 *   tiny      bytes of the length ...        under 16 bytes, echoed
 * </pre>
 */
@SuppressWarnings("EnumOrdinal") // read back by the same process
final class SimMessage {

    static final int TINY = 16;

    /** A server's action on a request. */
    enum Action {
        RESPOND,
        RESPOND_LATER,
        THROW,
        REJECT
    }

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final Action[] ACTIONS = Action.values();

    private SimMessage() {}

    static void writeRequest(MemorySegment to, long id, int length, int responseLength, Action action) {
        if (length < TINY) {
            fill(to, length, 0, length);
            return;
        }
        to.set(LONG, 0, id);
        to.set(INT, 8, responseLength);
        to.set(INT, 12, action.ordinal());
        fill(to, id, TINY, length);
    }

    static void writeResponse(MemorySegment to, long id, int length) {
        fill(to, length < TINY ? length : ~id, 0, length);
    }

    /** Returns whether a message is a request. A tiny request equals a response of its length. */
    static boolean isRequest(MemorySegment message) {
        int length = (int) message.byteSize();
        return length < TINY ? holds(message, length, 0, length) : holds(message, id(message), TINY, length);
    }

    static boolean isResponse(MemorySegment message, long id, int length) {
        return message.byteSize() == length && holds(message, length < TINY ? length : ~id, 0, length);
    }

    static long id(MemorySegment request) {
        return request.get(LONG, 0);
    }

    static int responseLength(MemorySegment request) {
        return request.byteSize() < TINY ? (int) request.byteSize() : request.get(INT, 8);
    }

    static Action action(MemorySegment request) {
        return request.byteSize() < TINY ? Action.RESPOND : ACTIONS[request.get(INT, 12)];
    }

    private static long word(long seed, int at) {
        return ((seed + at) * 0x9E37_79B9_7F4A_7C15L) ^ (seed << 7);
    }

    static void fill(MemorySegment to, long seed, int from, int until) {
        int at = from;
        for (; at + 8 <= until; at += 8) {
            to.set(LONG, at, word(seed, at));
        }
        for (; at < until; at++) {
            to.set(ValueLayout.JAVA_BYTE, at, (byte) word(seed, at));
        }
    }

    static boolean holds(MemorySegment in, long seed, int from, int until) {
        int at = from;
        for (; at + 8 <= until; at += 8) {
            if (in.get(LONG, at) != word(seed, at)) {
                return false;
            }
        }
        for (; at < until; at++) {
            if (in.get(ValueLayout.JAVA_BYTE, at) != (byte) word(seed, at)) {
                return false;
            }
        }
        return true;
    }
}
