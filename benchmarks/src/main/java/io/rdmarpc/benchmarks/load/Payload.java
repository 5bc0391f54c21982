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
    /** A typed order and what was accepted. */
    ORDER("order", 0);

    private final String text;
    private final int bytes;

    Payload(String text, int bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /**
     * Returns whether it is an object rather than bytes.
     *
     * @return true for the order
     */
    public boolean isOrder() {
        return bytes == 0;
    }

    /**
     * Returns how many calls to make between two readings of the clock, so that reading it takes little and a batch ends soon.
     *
     * @return 100 of short calls
     */
    public int batch() {
        return bytes <= 1 << 10 ? 100 : bytes <= 64 << 10 ? 10 : 1;
    }

    /**
     * Returns how long it is.
     *
     * @return bytes, 0 for an object
     */
    public int bytes() {
        return bytes;
    }

    @Override
    public String toString() {
        return text;
    }
}
