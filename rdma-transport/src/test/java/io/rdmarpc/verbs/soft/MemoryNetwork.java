package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/** Links that are connected in memory instead of a network, one for each port. Delivers in order and without loss. */
final class MemoryNetwork {

    private static final int WINDOW_BYTES = 1 << 20;
    private static final long IPV4_MAPPED = 0xFFFF_0000_0000L;

    private final Map<Integer, MemoryLink> links = new HashMap<>();

    PacketLink link(int ip, int port) {
        MemoryLink link = new MemoryLink(ip, port);
        links.put(port, link);
        return link;
    }

    /** Adds a packet to a link's queue as if another host had sent it. */
    void inject(int toPort, int sourceIp, int sourcePort, byte[] packet) {
        links.get(toPort).inbox.add(new Datagram(sourceIp, sourcePort, ByteBuffer.wrap(packet)));
    }

    private record Datagram(int sourceIp, int sourcePort, ByteBuffer packet) {}

    private final class MemoryLink implements PacketLink {

        private final int ip;
        private final int port;
        private final Queue<Datagram> inbox = new ArrayDeque<>();
        private final PacketBuffer received = new PacketBuffer();

        private MemoryLink(int ip, int port) {
            this.ip = ip;
            this.port = port;
        }

        @Override
        public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
            MemoryLink peer = links.get(destination.port());
            if (peer != null) {
                byte[] copy = new byte[packet.length()];
                packet.bytes().get(0, copy);
                peer.inbox.add(new Datagram(ip, port, ByteBuffer.wrap(copy)));
            }
            return true;
        }

        @Override
        public int poll(int max, LinkPacketHandler handler) {
            int count = 0;
            for (; count < max && !inbox.isEmpty(); count++) {
                Datagram datagram = inbox.remove();
                received.length(datagram.packet.limit());
                received.bytes().put(0, datagram.packet, 0, datagram.packet.limit());
                handler.onPacket(
                        0, 0, IPV4_MAPPED | Integer.toUnsignedLong(datagram.sourceIp), datagram.sourcePort, received);
            }
            return count;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public int receiveWindowBytes() {
            return WINDOW_BYTES;
        }

        @Override
        public void close() {
            links.remove(port);
        }
    }
}
