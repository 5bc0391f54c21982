package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationException.Facts;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import org.jspecify.annotations.Nullable;

/** Turns statuses of the device into exceptions that say what to do. */
final class OperationFailures {

    private OperationFailures() {}

    /** The device ended an operation with this status. */
    static RdmaOperationException ofStatus(Operation<?> operation, int status, int vendorError, String where) {
        return new RdmaOperationException(
                new Facts(operation.kind(), operation.bytes(), status, vendorError),
                operation + " by " + where + " failed: " + CompletionStatus.describe(status) + ", vendor error 0x"
                        + Integer.toHexString(vendorError),
                remedy(status),
                null);
    }

    /** The connection ended with the operation at the device. */
    static RdmaConnectionLostException flushed(
            Operation<?> operation, int vendorError, String where, @Nullable RdmaException reason) {
        return new RdmaConnectionLostException(
                new Facts(operation.kind(), operation.bytes(), CompletionStatus.WR_FLUSH_ERR, vendorError),
                operation + " by " + where + " was cut off" + because(reason),
                "Whether the peer has seen it is not known. Connect again",
                reason);
    }

    /** The connection had ended before the operation came to the device. */
    static RdmaConnectionLostException notPosted(Operation<?> operation, String where, @Nullable RdmaException reason) {
        return new RdmaConnectionLostException(
                operation.neverPosted(),
                operation + " was not posted: " + where + " has ended" + because(reason),
                "The peer has not seen it. Connect again",
                reason);
    }

    private static String because(@Nullable RdmaException reason) {
        return reason == null ? "" : " (" + reason.getMessage() + ")";
    }

    private static String remedy(int status) {
        return switch (status) {
            case CompletionStatus.LOC_LEN_ERR ->
                "The message is longer than the slice of this receive: agree on the longest message. Connect again";
            case CompletionStatus.LOC_PROT_ERR -> "The local memory is not registered any more: keep the region open";
            case CompletionStatus.LOC_ACCESS_ERR -> "The peer wrote where it may not. Connect again";
            case CompletionStatus.REM_ACCESS_ERR ->
                "The peer does not allow it: address, length, rkey or rights are wrong, or its region was closed."
                        + " Connect again";
            case CompletionStatus.REM_INV_REQ_ERR ->
                "The peer cannot take it: its receive is too short, or it has not this operation. Connect again";
            case CompletionStatus.REM_OP_ERR ->
                "The peer's device failed at it, for instance because its receive was too short; look there. Connect again";
            case CompletionStatus.RETRY_EXC_ERR ->
                "The peer is gone or cannot be reached: look at it and at the network, and connect again";
            case CompletionStatus.RNR_RETRY_EXC_ERR ->
                "The peer had no receive for it in time: it must call receive before. Connect again";
            default -> "Connect again; should it come back, look up the vendor error";
        };
    }
}
