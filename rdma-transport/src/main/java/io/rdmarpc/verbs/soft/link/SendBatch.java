package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.soft.ffi.MessageArray;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Packets that wait to be sent by one system call, in order. Packets of one size to one peer become one message, which
 * the kernel segments as late as possible (UDP generic segmentation offload).
 */
final class SendBatch {

    private static final int SLOTS = 64;
    private static final int LARGEST_MESSAGE = 65_000;
    private static final int ENOBUFS = 105;

    private final UdpSockets owner;
    private final PacketBuffer[] packets = PacketBuffer.array(SLOTS);
    private final NativeSocket[] sockets = new NativeSocket[SLOTS];
    private final LinkAddress[] destinations = new LinkAddress[SLOTS];
    private final MessageArray messages = new MessageArray(SLOTS, SLOTS);
    private final int[] packetsOfMessage = new int[SLOTS];
    private boolean segments = true;
    private int head;
    private int tail;

    SendBatch(UdpSockets owner) {
        this.owner = owner;
        for (int i = 0; i < SLOTS; i++) {
            messages.piece(i, packets[i].memory());
        }
    }

    /** Returns the buffer for the next packet; null if there is no room. */
    @Nullable
    PacketBuffer nextPacket() {
        return hasRoom() ? packets[tail] : null;
    }

    private boolean hasRoom() {
        return tail < SLOTS || flush();
    }

    /** Adds a packet; false if there is no room. */
    boolean add(NativeSocket socket, PacketBuffer packet, LinkAddress destination) {
        if (!hasRoom()) {
            return false;
        }
        if (packets[tail] != packet) {
            packets[tail].copyFrom(packet);
        }
        messages.pieceLength(tail, packet.length());
        sockets[tail] = socket;
        destinations[tail] = destination;
        tail++;
        return true;
    }

    /**
     * Sends the buffered packets; false if the socket's buffer is full and some are left. A connected socket reports a
     * network error of an earlier packet, such as a closed port, by a failed send. That send is repeated once.
     */
    boolean flush() {
        boolean again = false;
        while (head < tail) {
            int count = makeMessages();
            NativeSocket socket = sockets[head];
            int sent = messages.send(socket.descriptor(), 0, count);
            if (sent > 0) {
                advance(sent);
                again = false;
            } else if (sent == -Errno.EAGAIN || sent == -ENOBUFS) {
                return false;
            } else if (sent != -LibC.EINTR) {
                again = socket.isConnected() && !again;
                if (!again) {
                    dropFirst(sent == -Errno.EBADF);
                }
            }
        }
        head = 0;
        tail = 0;
        return true;
    }

    /** Combines the packets of one socket into messages; returns their number. */
    private int makeMessages() {
        NativeSocket socket = sockets[head];
        int count = 0;
        int next = head;
        while (next < tail && sockets[next] == socket) {
            LinkAddress destination = destinations[next];
            int packetCount = segments && destination.acceptsSegments() ? run(next) : 1;
            messages.message(count, next, packetCount);
            messages.segmentBytes(count, packetCount > 1 ? packets[next].length() : 0);
            if (socket.isConnected()) {
                messages.noName(count);
            } else {
                messages.name(count, destination.name(), destination.nameBytes());
            }
            packetsOfMessage[count++] = packetCount;
            next += packetCount;
        }
        return count;
    }

    /**
     * Returns the number of packets, from an index on, that fit into one message: all of one size, except that the last
     * may be shorter.
     */
    private int run(int first) {
        int size = packets[first].length();
        int end = first + 1;
        int total = size;
        while (end < tail && goesWith(first, end) && total + packets[end].length() <= LARGEST_MESSAGE) {
            total += packets[end].length();
            if (packets[end++].length() < size) {
                break;
            }
        }
        return end - first;
    }

    private boolean goesWith(int first, int other) {
        return sockets[other] == sockets[first]
                && destinations[other] == destinations[first]
                && packets[other].length() <= packets[first].length();
    }

    private void advance(int sentMessages) {
        for (int i = 0; i < sentMessages; i++) {
            head += packetsOfMessage[i];
        }
    }

    /**
     * Handles the failure of the first message. A device without checksum offload rejects segmentation; then each
     * packet is sent separately.
     */
    private void dropFirst(boolean closed) {
        int count = packetsOfMessage[0];
        if (count > 1 && !closed) {
            segments = false;
        } else {
            owner.countSendFailures(count);
            head += count;
        }
    }
}
