package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.rnic.FlightWindow;

/**
 * What one queue pair holds of the RNIC's two windows. After a time-out it gives all back, so that a dead peer holds nothing;
 * what it has sent before and sends again then goes uncounted.
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

    /** Returns how many bytes one queue pair may have on their way. */
    int limitBytes(boolean read) {
        return read ? reads.shareBytes() - reads.requestBytes() : sends.shareBytes();
    }

    /** Returns how many bytes one READ request asks for. */
    int requestBytes() {
        return reads.requestBytes();
    }
}
