package io.rdmarpc.demo.live.load;

/** Which transport works when. */
public enum Schedule {
    /** One after the other, each alone on the machine: the fair comparison. */
    TURNS,
    /** Both at the same time. */
    TOGETHER,
    /** Only RDMA. */
    RDMA,
    /** Only HTTP. */
    HTTP
}
