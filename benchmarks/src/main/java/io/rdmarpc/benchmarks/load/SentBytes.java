package io.rdmarpc.benchmarks.load;

/** What calls send as a {@code byte[]}: an array for each slot, filled anew for each call. A slot has one call at a time. */
public final class SentBytes {

    private final byte[][] arrays;
    private final long[] numbers;

    /**
     * Makes the arrays.
     *
     * @param payload what travels; for objects there are none
     * @param outstanding how many slots
     */
    public SentBytes(Payload payload, int outstanding) {
        this.arrays = payload.isOrder() ? new byte[0][] : new byte[outstanding][payload.bytes()];
        this.numbers = new long[outstanding];
    }

    /**
     * Makes the next message of a slot, whose call before has ended.
     *
     * @param slot from 0
     * @return the slot's array, filled
     */
    public byte[] next(int slot) {
        Stamp.write(arrays[slot], ++numbers[slot]);
        return arrays[slot];
    }

    /**
     * Returns what a slot has sent last, to be sent again as it is.
     *
     * @param slot from 0
     * @return the slot's array
     */
    public byte[] last(int slot) {
        return arrays[slot];
    }

    /**
     * Checks all of a response.
     *
     * @param slot whose
     * @param response what came
     */
    public void check(int slot, byte[] response) {
        Stamp.check(response, arrays[slot].length, numbers[slot]);
    }
}
