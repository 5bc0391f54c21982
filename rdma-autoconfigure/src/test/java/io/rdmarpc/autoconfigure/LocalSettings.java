package io.rdmarpc.autoconfigure;

/** Settings for test contexts that run concurrently: the software RNIC at 127.0.0.1, any free port, little memory. */
public final class LocalSettings {

    private static final String[] VALUES = {
        "rdma.provider=soft",
        "rdma.soft.addresses=127.0.0.1",
        "rdma.server.address=127.0.0.1",
        "rdma.server.port=0",
        "rdma.server.shutdown.grace-period=1s",
        "rdma.memory.max-size=128MB"
    };

    private LocalSettings() {}

    public static String[] values() {
        return VALUES.clone();
    }
}
