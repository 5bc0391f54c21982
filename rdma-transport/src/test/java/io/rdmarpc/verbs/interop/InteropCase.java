package io.rdmarpc.verbs.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One operation. Both ends create the same list.
 *
 * @param number from 0
 * @param byClient whether the client is the initiator
 * @param operation the operation
 * @param size payload bytes
 */
record InteropCase(int number, boolean byClient, InteropOperation operation, int size) {

    private static final int ATOMIC_BYTES = 8;

    /**
     * Creates the list.
     *
     * @param sizes sizes of messages; datagrams over the MTU are omitted
     * @param datagrams whether the list contains datagrams, which would be lost on a path that drops packets
     */
    static List<InteropCase> all(int mtu, List<Integer> sizes, boolean datagrams) {
        List<InteropCase> cases = new ArrayList<>();
        for (boolean byClient : new boolean[] {true, false}) {
            for (InteropOperation operation : InteropOperation.values()) {
                for (int size : sizes(operation, mtu, sizes, datagrams)) {
                    cases.add(new InteropCase(cases.size(), byClient, operation, size));
                }
            }
        }
        return cases;
    }

    private static List<Integer> sizes(InteropOperation operation, int mtu, List<Integer> sizes, boolean datagrams) {
        if (operation.isAtomic()) {
            return List.of(ATOMIC_BYTES);
        }
        if (operation.isDatagram()) {
            return datagrams ? sizes.stream().filter(size -> size <= mtu).toList() : List.of();
        }
        return sizes;
    }

    /** Returns the transmitted bytes. */
    byte[] payload() {
        byte[] bytes = new byte[size];
        new Random(number + 1L).nextBytes(bytes);
        if (bytes.length > 0) {
            // No EtherType begins with this byte: tshark would decode a short payload after one as that protocol.
            bytes[0] = (byte) 0xFF;
        }
        return bytes;
    }

    int immediate() {
        return 0x8000_0000 | number;
    }

    /** Returns the original value of an atomic. */
    long before() {
        return 0x0123_4567_89AB_CDEFL * (number + 1);
    }

    long compare() {
        return operation == InteropOperation.COMPARE_IN_VAIN ? before() + 1 : before();
    }

    long swapOrAdd() {
        return 0xFEDC_BA98_7654_3210L ^ number;
    }

    /** Returns the value after an atomic. */
    long after() {
        return switch (operation) {
            case COMPARE_AND_SWAP -> swapOrAdd();
            case FETCH_AND_ADD -> before() + swapOrAdd();
            default -> before();
        };
    }

    @Override
    public String toString() {
        return "case " + number + ": " + operation + " of " + size + " bytes by the "
                + (byClient ? "client" : "server");
    }
}
