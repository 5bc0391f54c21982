package io.rdmarpc.remote.wire;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import java.net.InetAddress;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message between two processes about memory. Both may send requests. {@link LinkCodec} sends each message with a
 * number, which is the same for a request and its response.
 */
public sealed interface LinkMessage {

    /** The first message of both sides. The address is the receiver's, as the sender sees it; null if unknown. */
    record Hello(int version, UUID process, @Nullable InetAddress yourAddress) implements LinkMessage {

        public static final int VERSION = 1;
    }

    /** Requests a responder for the operations of this queue pair. */
    record Connect(QueuePairEndpoint initiator) implements LinkMessage {}

    record Connected(QueuePairEndpoint responder) implements LinkMessage {}

    record Allocate(long bytes, Set<RemoteRight> rights, long leaseNanos) implements LinkMessage {}

    record Open(TokenSecret secret) implements LinkMessage {}

    /** The response to an allocation or to opening a token. */
    record Lent(long id, long address, long bytes, int rkey, Set<RemoteRight> rights, int slot, long leaseNanos)
            implements LinkMessage {

        /** Omits the address and the key, which are secret. */
        @Override
        public String toString() {
            return "Lent[id=" + id + ", bytes=" + bytes + ", rights=" + rights + "]";
        }
    }

    record Renew(long id, long leaseNanos) implements LinkMessage {}

    record Renewed(long leaseNanos) implements LinkMessage {}

    record Free(long id) implements LinkMessage {}

    record Freed() implements LinkMessage {}

    record Rejected(Reason reason, String detail) implements LinkMessage {}

    /** Sent by the owner without a request: the region is closed. */
    record Revoked(long id, Reason reason) implements LinkMessage {}

    /** Sent by the consumer of a ring: the number of records consumed since it was opened. */
    record Credit(long id, long records) implements LinkMessage {}
}
