package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.wr.SendOpcode;

/** The operations whose allocation can be checked. */
enum BenchmarkOperation {
    UD_SEND(QueuePairType.UD, SendOpcode.SEND),
    RC_SEND(QueuePairType.RC, SendOpcode.SEND),
    RC_WRITE(QueuePairType.RC, SendOpcode.RDMA_WRITE),
    RC_READ(QueuePairType.RC, SendOpcode.RDMA_READ);

    private final QueuePairType type;
    private final int opcode;

    BenchmarkOperation(QueuePairType type, int opcode) {
        this.type = type;
        this.opcode = opcode;
    }

    QueuePairType type() {
        return type;
    }

    int opcode() {
        return opcode;
    }

    boolean takesReceive() {
        return opcode == SendOpcode.SEND;
    }
}
