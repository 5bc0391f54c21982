package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationException.Facts;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import org.jspecify.annotations.Nullable;

/** Converts completion statuses into exceptions that include the next step. */
final class OperationFailures {

    private OperationFailures() {}

    /** Returns the failure of an operation that the device completed with this status. */
    static RdmaOperationException ofStatus(Operation<?> operation, int status, int vendorError, String where) {
        return new RdmaOperationException(
                new Facts(operation.kind(), operation.bytes(), status, vendorError),
                operation + " by " + where + " failed: " + CompletionStatus.describe(status) + ", vendor error 0x"
                        + Integer.toHexString(vendorError),
                remedy(status),
                null);
    }

    /** Returns the failure of an operation that was posted when its connection ended. */
    static RdmaConnectionLostException flushed(
            Operation<?> operation, int vendorError, String where, @Nullable RdmaException reason) {
        return new RdmaConnectionLostException(
                new Facts(operation.kind(), operation.bytes(), CompletionStatus.WR_FLUSH_ERR, vendorError),
                operation + " by " + where + " was interrupted because the connection ended" + because(reason),
                "The peer may have received it. Connect again",
                reason);
    }

    /** Returns the failure of an operation that was submitted, but not posted, before its connection ended. */
    static RdmaConnectionLostException notPosted(Operation<?> operation, String where, @Nullable RdmaException reason) {
        return new RdmaConnectionLostException(
                operation.neverPosted(),
                operation + " was not posted: " + where + " has ended" + because(reason),
                "The peer has not received it. Connect again",
                reason);
    }

    private static String because(@Nullable RdmaException reason) {
        return reason == null ? "" : " (" + reason.getMessage() + ")";
    }

    private static String remedy(int status) {
        return switch (status) {
            case CompletionStatus.LOC_LEN_ERR ->
                "The message is longer than the slice of this receive: use longer slices. Connect again";
            case CompletionStatus.LOC_PROT_ERR ->
                "The local memory is no longer registered: keep the region open until the operation has ended";
            case CompletionStatus.LOC_ACCESS_ERR ->
                "The peer wrote to memory without the right to do so. Connect again";
            case CompletionStatus.REM_ACCESS_ERR ->
                "The peer does not allow it: address, length, rkey or access flags are wrong, or its region was closed."
                        + " Connect again";
            case CompletionStatus.REM_INV_REQ_ERR ->
                "The peer rejected it: its receive is too short, or it does not support it. Connect again";
            case CompletionStatus.REM_OP_ERR ->
                "The peer's device failed, for instance because its receive was too short: see its log. Connect again";
            case CompletionStatus.RETRY_EXC_ERR ->
                "The peer is unreachable: check its process and the network, and connect again";
            case CompletionStatus.RNR_RETRY_EXC_ERR ->
                "The peer had no posted receive in time: it must call receive first. Connect again";
            default -> "Connect again; if it recurs, look up the vendor error";
        };
    }
}
