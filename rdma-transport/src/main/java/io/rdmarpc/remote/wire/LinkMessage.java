package io.rdmarpc.remote.wire;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import java.net.InetAddress;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What two processes say to each other about memory. Each may ask; a number joins request and answer. */
public sealed interface LinkMessage {

    /** The first message of both; the address is the receiver's as the sender sees it, where it does. */
    record Hello(int version, UUID process, @Nullable InetAddress yourAddress) implements LinkMessage {

        public static final int VERSION = 1;
    }

    /** Asks for a responder that takes the operations of this queue pair. */
    record Connect(QueuePairEndpoint initiator) implements LinkMessage {}

    record Connected(QueuePairEndpoint responder) implements LinkMessage {}

    record Allocate(long bytes, Set<RemoteRight> rights, long leaseNanos) implements LinkMessage {}

    record Open(TokenSecret secret) implements LinkMessage {}

    /** Answers an allocation or opening. */
    record Lent(long id, long address, long bytes, int rkey, Set<RemoteRight> rights, int slot, long leaseNanos)
            implements LinkMessage {

        /** Without address and key. */
        @Override
        public String toString() {
            return "Lent[id=" + id + ", bytes=" + bytes + ", rights=" + rights + "]";
        }
    }

    record Renew(long id, long leaseNanos) implements LinkMessage {}

    record Renewed(long leaseNanos) implements LinkMessage {}

    record Free(long id) implements LinkMessage {}

    record Freed() implements LinkMessage {}

    record Rejected(Reason reason, String words) implements LinkMessage {}

    /** Told by the owner, not asked for: the region is closed. */
    record Revoked(long id, Reason reason) implements LinkMessage {}

    /** Told by the consumer of a ring: so many records were consumed since it was opened. */
    record Credit(long id, long records) implements LinkMessage {}
}
