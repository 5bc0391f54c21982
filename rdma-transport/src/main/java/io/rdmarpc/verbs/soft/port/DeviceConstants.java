package io.rdmarpc.verbs.soft.port;

/** The name, the port and the limits of the software device. */
public final class DeviceConstants {

    public static final String NAME = "soft0";
    public static final int PORT_NUMBER = 1;

    public static final int MAX_QUEUE_WR = 1 << 15;
    public static final int MAX_SGE = 16;
    public static final int MAX_INLINE_BYTES = 256;
    public static final int MAX_COMPLETIONS = 1 << 20;
    public static final int MAX_READS = 64;
    public static final int MAX_MESSAGE_BYTES = 1 << 30;
    public static final long MAX_REGION_BYTES = 1L << 46;

    private DeviceConstants() {}
}
