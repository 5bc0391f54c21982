package io.rdmarpc.verbs.ibverbs.ffi.struct;

import io.rdmarpc.verbs.error.RdmaVerbsException;

/**
 * Checks at run time that the library's memory has the layout of its header. The fields of a new object must match the
 * arguments of its creation. A wrong offset therefore causes an exception instead of a later crash.
 */
public final class LayoutCheck {

    private LayoutCheck() {}

    public static void same(String field, long expected, long actual) {
        if (expected != actual) {
            throw mismatch(
                    field + " reads 0x" + Long.toHexString(actual) + " instead of 0x" + Long.toHexString(expected));
        }
    }

    public static void that(boolean plausible, String field, long actual) {
        if (!plausible) {
            throw mismatch(field + " reads " + actual);
        }
    }

    private static RdmaVerbsException mismatch(String what) {
        return new RdmaVerbsException(
                "the check of libibverbs's memory layout",
                "",
                0,
                what + ". This is not the libibverbs.so.1 of rdma-core, or the machine ("
                        + System.getProperty("os.arch")
                        + ") is not supported: use rdma.provider=soft, and report this message");
    }
}
