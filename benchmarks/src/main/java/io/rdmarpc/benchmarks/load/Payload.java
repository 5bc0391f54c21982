package io.rdmarpc.benchmarks.load;

/** Payloads of requests and responses. */
public enum Payload {
    /** 32 bytes. */
    B32("32 B", 32),
    /** 1 KiB. */
    KIB1("1 KiB", 1 << 10),
    /** 64 KiB. */
    KIB64("64 KiB", 64 << 10),
    /** 1 MiB. */
    MIB1("1 MiB", 1 << 20),
    /** A typed order request, and the accepted order as response. */
    ORDER("order", 0);

    private final String text;
    private final int bytes;

    Payload(String text, int bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /**
     * Returns whether the payload is an object instead of bytes.
     *
     * @return true for the order
     */
    public boolean isOrder() {
        return bytes == 0;
    }

    /**
     * Returns the number of calls between two readings of the clock, which keeps both clock cost and batch duration
     * low.
     *
     * @return the number of calls, 100 for short ones
     */
    public int batch() {
        return bytes <= 1 << 10 ? 100 : bytes <= 64 << 10 ? 10 : 1;
    }

    /**
     * Returns the length of the payload.
     *
     * @return length in bytes, 0 for an object
     */
    public int bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return text;
    }
}
