package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationNotSupportedException;
import io.rdmarpc.async.error.RdmaOperationRejectedException;
import org.jspecify.annotations.Nullable;

/** What can be seen to be wrong with an operation before the device does, which would end the connection. */
final class OperationCheck {

    private final NodeCore node;
    private final long maxMessageBytes;
    private final boolean hasAtomics;

    /**
     * Checks for one port.
     *
     * @param node whose memory operations work on, and whose port they leave by
     */
    OperationCheck(NodeCore node) {
        this.node = node;
        this.maxMessageBytes = Math.min(node.maxMessageBytes(), Integer.MAX_VALUE);
        this.hasAtomics = node.hasAtomics();
    }

    /** Returns why the operation cannot work; null when nothing speaks against it. */
    @Nullable
    RdmaOperationException rejection(Operation<?> operation) {
        if (operation.kind().isAtomic()) {
            return hasAtomics ? wrongWord(operation) : noAtomics(operation);
        }
        LocalSlice local = operation.local();
        return local == null ? null : wrongSlice(operation, local);
    }

    /** What a device without atomics makes of one is up to its driver: few refuse the post. */
    private static RdmaOperationNotSupportedException noAtomics(Operation<?> operation) {
        return new RdmaOperationNotSupportedException(
                operation.neverPosted(),
                operation + " was not posted: this device has no atomics",
                "Use another device, or a message to the peer",
                null);
    }

    private static @Nullable RdmaOperationRejectedException wrongWord(Operation<?> operation) {
        RemoteMemoryRange word = operation.remote();
        if (word == null || word.length() != Operation.ATOMIC_BYTES) {
            return refused(operation, "an atomic works on 8 bytes", "Give it a slice of 8 bytes");
        }
        return word.address() % Operation.ATOMIC_BYTES == 0
                ? null
                : refused(operation, "the address is not a multiple of 8", "Align the word at the peer");
    }

    private @Nullable RdmaOperationRejectedException wrongSlice(Operation<?> operation, LocalSlice local) {
        RemoteMemoryRange remote = operation.remote();
        long most = operation.kind() == RdmaOperation.RECEIVE ? Integer.MAX_VALUE : maxMessageBytes;
        if (local.length() > most) {
            return refused(
                    operation, "it has at most " + most + " bytes on this port", "Use slices of at most that length");
        }
        if (remote != null && remote.length() < local.length()) {
            return refused(
                    operation,
                    "the remote region has " + remote.length() + " bytes, the local slice " + local.length(),
                    "Slice the local region to the length of the remote one");
        }
        if (!local.region().isOf(node)) {
            return refused(
                    operation,
                    "its slice is of another node, whose keys mean nothing here",
                    "Allocate or register the memory with this one");
        }
        if (operation.kind().writesLocally() && !local.region().mayBeWritten()) {
            return refused(
                    operation, "the device may not write into a " + local.region(), "Register it with LOCAL_WRITE");
        }
        return null;
    }

    private static RdmaOperationRejectedException refused(Operation<?> operation, String problem, String remedy) {
        return new RdmaOperationRejectedException(
                operation.neverPosted(), operation + " was not posted: " + problem, remedy, null);
    }
}
