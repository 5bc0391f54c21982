package io.rdmarpc.verbs.suite;

import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;

/** A copy of a completion, which stays valid after the next poll. */
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

    /** Returns the name of the status. After a failure only wr_id and qp_num are valid in addition. */
    String statusText() {
        return CompletionStatus.describe(status);
    }
}
