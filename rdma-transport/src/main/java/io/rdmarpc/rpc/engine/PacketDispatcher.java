package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.engine.client.ClientResponses;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.rpc.engine.packet.PacketPosition;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.ReceivedHeader;
import io.rdmarpc.rpc.engine.server.ServerRequests;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionTable;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.rpc.engine.transfer.BatchBoundary;
import io.rdmarpc.rpc.wire.BatchFormat;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import io.rdmarpc.transport.PacketHandler;
import io.rdmarpc.transport.UdTransport;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Checks every packet against its length and its session, then passes it to the component that handles it. A packet
 * that fails a check is counted and dropped, and its ring entry is posted again. No packet of a peer can cause an
 * exception in the loop or the loss of a ring entry. Engine thread only.
 */
final class PacketDispatcher implements PacketHandler {

    private final UdTransport ud;
    private final ReceiveRingLedger ring;
    private final SessionTable<ClientSession> clients;
    private final SessionTable<ServerSession> servers;
    private final ClientResponses clientResponses;
    private final ServerRequests serverRequests;
    private final Streams streams;
    private final BatchBoundary batchBoundary;
    private final EngineCounters counters;
    private final LoopFailures failures;
    private final ReceivedHeader packet = new ReceivedHeader();
    private final PacketPosition position;

    PacketDispatcher(
            UdTransport ud,
            ReceiveRingLedger ring,
            SessionTable<ClientSession> clients,
            SessionTable<ServerSession> servers,
            ClientResponses clientResponses,
            ServerRequests serverRequests,
            Streams streams,
            BatchBoundary batchBoundary,
            EngineCounters counters,
            LoopFailures failures,
            PacketPosition position) {
        this.position = position;
        this.ud = ud;
        this.ring = ring;
        this.clients = clients;
        this.servers = servers;
        this.clientResponses = clientResponses;
        this.serverRequests = serverRequests;
        this.streams = streams;
        this.batchBoundary = batchBoundary;
        this.counters = counters;
        this.failures = failures;
    }

    int poll(long now) {
        position.at(now);
        return ud.poll(this);
    }

    /** Handles packets that have arrived since {@link #poll}, which found none. */
    int pollAgain(long now) {
        position.at(now);
        return ud.pollAgain(this);
    }

    /** Never throws, because the other packets of the same poll follow. */
    @Override
    public void onPacket(int entry, int length, int sourceQpn) {
        try {
            onMessages(entry, length, sourceQpn);
        } catch (Throwable e) {
            failures.caught("the handling of a packet", e);
        }
    }

    private void onMessages(int entry, int length, int sourceQpn) {
        counters.increment(Counter.PACKETS_RECEIVED);
        counters.add(Counter.BYTES_RECEIVED, Math.max(0, length));
        ring.hold(entry);
        int next = onMessage(entry, 0, length, sourceQpn);
        boolean several = next >= 0;
        while (next >= 0) {
            next = onMessage(entry, next, length, sourceQpn);
        }
        if (several) {
            batchBoundary.onEnd(position.nowNanos());
        }
    }

    /**
     * Handles the message at an offset of a packet, whose ring entry is held for that message. Returns the offset of
     * the next message, for which the entry is then held, or -1.
     */
    private int onMessage(int entry, int from, int length, int sourceQpn) {
        boolean passedOn = false;
        int next = -1;
        try {
            Drop malformed = parse(ring.memory(), ring.payloadOffset(entry) + from, entry, length - from);
            if (malformed == null) {
                boolean large = packet.large;
                if (packet.nextAt >= 0) {
                    next = from + packet.nextAt;
                    ring.hold(entry);
                }
                position.last(next < 0 && ud.packetsLeft() == 0);
                passedOn = dispatch(entry, sourceQpn);
                if (large) {
                    position.at(batchBoundary.onLarge(position.nowNanos()));
                }
            } else {
                counters.drop(malformed);
            }
        } catch (Throwable e) {
            failures.caught("a packet, which is dropped", e);
        }
        position.last(false);
        if (!passedOn) {
            ring.release(entry);
        }
        return next;
    }

    private boolean dispatch(int entry, int sourceQpn) {
        boolean forServer = PacketType.isForServer(packet.type);
        long nowNanos = position.nowNanos();
        EngineSession session = forServer ? servers.get(packet.session) : clients.get(packet.session);
        Drop foreign = check(session, entry, sourceQpn, packet.cookie);
        if (foreign != null || session == null) {
            counters.drop(foreign == null ? Drop.UNKNOWN_SESSION : foreign);
            return false;
        }
        if (PacketType.isStream(packet.type)) {
            return streams.onPacket(session, packet, nowNanos);
        }
        return forServer
                ? serverRequests.onPacket((ServerSession) session, packet, nowNanos)
                : clientResponses.onPacket((ClientSession) session, packet, nowNanos);
    }

    private @Nullable Drop parse(MemorySegment memory, long at, int entry, int length) {
        if (length < PacketHeader.BYTES) {
            return Drop.SHORT;
        }
        long first = PacketHeader.first(memory, at);
        if (PacketHeader.version(first) != PacketHeader.VERSION) {
            return Drop.VERSION;
        }
        int type = PacketHeader.type(first);
        int flags = PacketHeader.flags(first);
        if (!PacketType.isKnown(type) || (flags & ~knownFlags(type)) != 0) {
            return Drop.TYPE;
        }
        int headerBytes = PacketHeader.bytes(flags);
        if (length < headerBytes) {
            return Drop.SHORT;
        }
        packet.entry = entry;
        packet.type = type;
        packet.large = PacketType.isLarge(type);
        packet.flags = flags;
        packet.status = PacketHeader.status(first);
        packet.session = PacketHeader.session(first);
        packet.cookie = PacketHeader.cookie(memory, at);
        packet.requestIndex = PacketHeader.requestIndex(memory, at);
        long last = PacketHeader.last(memory, at);
        packet.methodId = PacketHeader.methodId(last);
        packet.length = PacketHeader.length(last);
        packet.payloadAt = at + headerBytes;
        packet.payloadBytes = length - headerBytes;
        boolean limited = (flags & PacketHeader.FLAG_DEADLINE) != 0;
        packet.remainingMicros = limited ? PacketHeader.remainingMicros(memory, at) : Long.MAX_VALUE;
        packet.nextAt = -1;
        if ((flags & PacketHeader.FLAG_FOLLOWED) != 0) {
            Drop cut = cutOff(headerBytes, length);
            if (cut != null) {
                return cut;
            }
        }
        if (packet.large) {
            return parseLarge(memory);
        }
        return packet.length == packet.payloadBytes ? null : Drop.LENGTH;
    }

    private static int knownFlags(int type) {
        if (type == PacketType.RESPONSE) {
            return PacketHeader.KNOWN_RESPONSE_FLAGS;
        }
        return PacketType.isStream(type) ? PacketHeader.KNOWN_STREAM_FLAGS : PacketHeader.KNOWN_FLAGS;
    }

    /** Truncates the payload to the length in the header, because another message follows. */
    private @Nullable Drop cutOff(int headerBytes, int length) {
        int bytes = packet.large ? ReadDescriptor.BYTES : packet.length;
        if (bytes < 0 || bytes > packet.payloadBytes) {
            return Drop.LENGTH;
        }
        int next = BatchFormat.padded(headerBytes + bytes);
        if (next >= length) {
            return Drop.SHORT;
        }
        packet.payloadBytes = bytes;
        packet.nextAt = next;
        return null;
    }

    private @Nullable Drop parseLarge(MemorySegment memory) {
        if (packet.payloadBytes != ReadDescriptor.BYTES || packet.length <= 0) {
            return Drop.LENGTH;
        }
        packet.remoteAddress = ReadDescriptor.address(memory, packet.payloadAt);
        packet.rkey = ReadDescriptor.rkey(memory, packet.payloadAt);
        return null;
    }

    private @Nullable Drop check(@Nullable EngineSession session, int entry, int sourceQpn, long cookie) {
        if (session == null) {
            return Drop.UNKNOWN_SESSION;
        }
        if (session.cookie != cookie) {
            return Drop.COOKIE;
        }
        if (!session.isPeer(sourceQpn) || !ud.cameFrom(entry, session.peerGidHigh, session.peerGidLow)) {
            return Drop.SOURCE;
        }
        return packet.length > session.maxMessageBytes() ? Drop.LENGTH : null;
    }
}
