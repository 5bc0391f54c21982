package io.rdmarpc.memory;

/** Formats byte counts for messages, in the largest binary unit that represents them exactly. */
final class ByteCount {

    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private ByteCount() {}

    static String of(long bytes) {
        long value = bytes;
        int unit = 0;
        while (value != 0 && value % 1024 == 0 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return value + " " + UNITS[unit];
    }
}
