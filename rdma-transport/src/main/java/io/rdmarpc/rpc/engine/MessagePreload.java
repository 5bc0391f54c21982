package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.SessionTable;
import io.rdmarpc.rpc.wire.BatchFormat;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.MemorySegment;

/**
 * Loads the sessions of a packet's messages into the cache before the messages are handled.
 *
 * <p>With thousands of sessions, a message finds nothing of its session in the cache. Its handling then waits for one
 * object after the other. The loads of this class belong to different messages and do not depend on each other, so the
 * processor performs many of them at a time. It reads headers that are not checked yet. It uses them only to choose
 * what to load, and never reads beyond the packet.
 *
 * <p>Engine thread only. Allocates nothing.
 */
final class MessagePreload {

    private static final int MAX_MESSAGES = 64;

    private final EngineContext context;
    private final SessionTable<? extends EngineSession> clients;
    private final SessionTable<? extends EngineSession> servers;
    private final int[] ids = new int[MAX_MESSAGES];
    private final long[] requests = new long[MAX_MESSAGES];

    MessagePreload(
            EngineContext context,
            SessionTable<? extends EngineSession> clients,
            SessionTable<? extends EngineSession> servers) {
        this.context = context;
        this.clients = clients;
        this.servers = servers;
    }

    /** Loads the sessions of the messages of one packet, if there are several messages and many sessions. */
    void load(MemorySegment memory, long at, int length) {
        if (length < 2 * PacketHeader.BYTES) {
            return;
        }
        long first = PacketHeader.first(memory, at);
        if ((PacketHeader.flags(first) & PacketHeader.FLAG_FOLLOWED) == 0) {
            return;
        }
        SessionTable<? extends EngineSession> table =
                PacketType.isForServer(PacketHeader.type(first)) ? servers : clients;
        if (context.hasMany(table.size())) {
            load(table, scan(memory, at, length));
        }
    }

    /** Collects the sessions and request indexes of the messages; returns the number of messages. */
    private int scan(MemorySegment memory, long start, int length) {
        int count = 0;
        int from = 0;
        while (count < MAX_MESSAGES && length - from >= PacketHeader.BYTES) {
            long at = start + from;
            long first = PacketHeader.first(memory, at);
            int flags = PacketHeader.flags(first);
            int bytes = PacketHeader.length(PacketHeader.last(memory, at));
            ids[count] = PacketHeader.session(first);
            requests[count] = PacketHeader.requestIndex(memory, at);
            count++;
            if ((flags & PacketHeader.FLAG_FOLLOWED) == 0 || bytes < 0 || bytes > length - from) {
                break;
            }
            from += BatchFormat.padded(PacketHeader.bytes(flags) + bytes);
        }
        return count;
    }

    /** Loads the sessions first, and then what they refer to. */
    private void load(SessionTable<? extends EngineSession> table, int count) {
        int loaded = 0;
        for (int i = 0; i < count; i++) {
            loaded += table.get(ids[i]) == null ? 0 : 1;
        }
        for (int i = 0; i < count; i++) {
            EngineSession session = table.get(ids[i]);
            if (session != null) {
                loaded += session.preload(requests[i]);
            }
        }
        context.preloaded(loaded);
    }
}
