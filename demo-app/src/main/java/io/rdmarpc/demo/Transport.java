package io.rdmarpc.demo;

/** A way to call the order service, in the order in which the comparison shows them. */
public enum Transport {
    RDMA("RDMA"),
    GRPC("gRPC"),
    HTTP("Spring HTTP");

    private final String label;

    Transport(String label) {
        this.label = label;
    }

    /** Returns the name for readers. */
    public String label() {
        return label;
    }
}
