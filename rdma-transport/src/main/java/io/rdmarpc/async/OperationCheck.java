package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationNotSupportedException;
import io.rdmarpc.async.error.RdmaOperationRejectedException;
import org.jspecify.annotations.Nullable;

/** Rejects operations that the device would fail, because such a failure ends the connection. */
final class OperationCheck {

    private final NodeCore node;
    private final long maxMessageBytes;
    private final boolean hasAtomics;

    /**
     * Creates the check for one node.
     *
     * @param node the node that registers the memory and owns the port
     */
    OperationCheck(NodeCore node) {
        this.node = node;
        this.maxMessageBytes = Math.min(node.maxMessageBytes(), Integer.MAX_VALUE);
        this.hasAtomics = node.hasAtomics();
    }

    /** Returns why the operation cannot succeed, or null if the check finds no problem. */
    @Nullable
    RdmaOperationException rejection(Operation<?> operation) {
        if (operation.kind().isAtomic()) {
            return hasAtomics ? wrongWord(operation) : noAtomics(operation);
        }
        LocalSlice local = operation.local();
        return local == null ? null : wrongSlice(operation, local);
    }

    /** If a device lacks atomics, drivers react differently; few reject the work request when it is posted. */
    private static RdmaOperationNotSupportedException noAtomics(Operation<?> operation) {
        return new RdmaOperationNotSupportedException(
                operation.neverPosted(),
                operation + " was not posted: this device has no atomics",
                "Use a device with atomics, or send a message to the peer",
                null);
    }

    private static @Nullable RdmaOperationRejectedException wrongWord(Operation<?> operation) {
        RemoteMemoryRange word = operation.remote();
        if (word == null || word.length() != Operation.ATOMIC_BYTES) {
            return rejected(operation, "an atomic works on 8 bytes", "Use a remote range of 8 bytes");
        }
        return word.address() % Operation.ATOMIC_BYTES == 0
                ? null
                : rejected(operation, "the address is not a multiple of 8", "Align the 8 bytes in the peer's memory");
    }

    private @Nullable RdmaOperationRejectedException wrongSlice(Operation<?> operation, LocalSlice local) {
        RemoteMemoryRange remote = operation.remote();
        long maxBytes = operation.kind() == RdmaOperation.RECEIVE ? Integer.MAX_VALUE : maxMessageBytes;
        if (local.length() > maxBytes) {
            return rejected(
                    operation, "the limit of this port is " + maxBytes + " bytes", "Use slices of at most that length");
        }
        if (remote != null && remote.length() < local.length()) {
            return rejected(
                    operation,
                    "the remote range has " + remote.length() + " bytes, the local slice " + local.length(),
                    "Use a local slice of at most the remote length");
        }
        if (!local.region().isOf(node)) {
            return rejected(
                    operation,
                    "its slice is registered with another node",
                    "Allocate or register the memory with the node of this connection");
        }
        if (operation.kind().writesLocally() && !local.region().mayBeWritten()) {
            return rejected(
                    operation, "the device may not write into a " + local.region(), "Register it with LOCAL_WRITE");
        }
        return null;
    }

    private static RdmaOperationRejectedException rejected(Operation<?> operation, String problem, String remedy) {
        return new RdmaOperationRejectedException(
                operation.neverPosted(), operation + " was not posted: " + problem, remedy, null);
    }
}
