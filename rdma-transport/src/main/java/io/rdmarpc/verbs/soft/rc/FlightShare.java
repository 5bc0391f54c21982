package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.rnic.FlightWindow;

/**
 * The bytes that one queue pair has reserved in the RNIC's two windows. After a timeout the queue pair releases all of
 * them, so that a dead peer occupies no part of the windows. Packets that the queue pair then retransmits are not
 * counted.
 */
final class FlightShare {

    private final FlightWindow reads;
    private final FlightWindow sends;
    private int readBytes;
    private int sendBytes;

    FlightShare(FlightWindow reads, FlightWindow sends) {
        this.reads = reads;
        this.sends = sends;
    }

    boolean reserve(boolean read, int bytes) {
        if (!(read ? reads : sends).reserve(bytes)) {
            return false;
        }
        if (read) {
            readBytes += bytes;
        } else {
            sendBytes += bytes;
        }
        return true;
    }

    void release(boolean read, int bytes) {
        if (read) {
            int held = Math.min(bytes, readBytes);
            readBytes -= held;
            reads.release(held);
        } else {
            int held = Math.min(bytes, sendBytes);
            sendBytes -= held;
            sends.release(held);
        }
    }

    void releaseAll() {
        release(true, readBytes);
        release(false, sendBytes);
    }

    /** Returns the maximum bytes in flight of one queue pair. */
    int limitBytes(boolean read) {
        return read ? reads.shareBytes() - reads.requestBytes() : sends.shareBytes();
    }

    /** Returns the bytes of one READ request. */
    int requestBytes() {
        return reads.requestBytes();
    }
}
