package io.rdmarpc.benchmarks.load;

/** Payloads as {@code byte[]}: one array per slot, which each call fills again. A slot has one call at a time. */
public final class SentBytes {

    private final byte[][] arrays;
    private final long[] numbers;

    /**
     * Creates the arrays.
     *
     * @param payload the payload; there are no arrays for objects
     * @param outstanding number of slots
     */
    public SentBytes(Payload payload, int outstanding) {
        this.arrays = payload.isOrder() ? new byte[0][] : new byte[outstanding][payload.bytes()];
        this.numbers = new long[outstanding];
    }

    /**
     * Fills the next message of a slot, whose previous call has ended.
     *
     * @param slot number of the slot, from 0
     * @return the slot's array, filled
     */
    public byte[] next(int slot) {
        Stamp.write(arrays[slot], ++numbers[slot]);
        return arrays[slot];
    }

    /**
     * Returns the last message of a slot, for a retransmission without changes.
     *
     * @param slot number of the slot, from 0
     * @return the slot's array
     */
    public byte[] last(int slot) {
        return arrays[slot];
    }

    /**
     * Checks all bytes of a response.
     *
     * @param slot number of the slot
     * @param response the received bytes
     */
    public void check(int slot, byte[] response) {
        Stamp.check(response, arrays[slot].length, numbers[slot]);
    }
}
