package io.rdmarpc.verbs.suite;

import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;

/** A completion that outlives the next poll. */
record Completion(
        long wrId,
        int status,
        int opcode,
        int vendorError,
        int byteLength,
        int immediate,
        int qpn,
        int sourceQp,
        int flags) {

    static Completion of(WorkCompletions from, int index) {
        return new Completion(
                from.wrId(index),
                from.status(index),
                from.opcode(index),
                from.vendorError(index),
                from.byteLength(index),
                from.immediate(index),
                from.qpNumber(index),
                from.sourceQp(index),
                from.flags(index));
    }

    boolean hasImmediate() {
        return (flags & WorkCompletions.FLAG_WITH_IMM) != 0;
    }

    boolean hasRouteHeader() {
        return (flags & WorkCompletions.FLAG_GRH) != 0;
    }

    /** The status in words: other fields than wr_id and qp_num say nothing after a failure. */
    String statusText() {
        return CompletionStatus.describe(status);
    }
}
