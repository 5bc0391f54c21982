package io.rdmarpc.demo.live.load;

/** When each transport works. */
public enum Schedule {
    /** Transports alternate, so that each works alone on the machine: the fair comparison. */
    TURNS,
    /** All transports work at the same time. */
    TOGETHER,
    /** Only RDMA works. */
    RDMA,
    /** Only gRPC works. */
    GRPC,
    /** Only HTTP works. */
    HTTP
}
