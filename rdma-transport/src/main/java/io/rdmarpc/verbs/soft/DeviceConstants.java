package io.rdmarpc.verbs.soft;

/** The name, the port and the limits of the software device. */
final class DeviceConstants {

    static final String NAME = "soft0";
    static final int PORT_NUMBER = 1;

    static final int MAX_QUEUE_WR = 1 << 15;
    static final int MAX_SGE = 16;
    static final int MAX_INLINE_BYTES = 256;
    static final int MAX_COMPLETIONS = 1 << 20;
    static final int MAX_READS = 64;
    static final int MAX_MESSAGE_BYTES = 1 << 30;
    static final long MAX_REGION_BYTES = 1L << 46;

    private DeviceConstants() {}
}
