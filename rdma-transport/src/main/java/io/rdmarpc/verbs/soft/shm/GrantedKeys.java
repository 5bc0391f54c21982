package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * The keys that one peer was granted, and the {@link KeyTable} that tells it which of them are valid. What is in the table is kept
 * here too, for the peer can write to it.
 *
 * <p>The upper bits of a key, which is random, select eight entries. Where all of them are taken the key is not granted: its
 * memory is sent, as memory that cannot be mapped is. Under the RNIC's lock.
 */
final class GrantedKeys implements AutoCloseable {

    static final int WAYS = 8;

    private static final int SET_BITS = Integer.numberOfTrailingZeros(KeyTable.ENTRIES / WAYS);
    private static final int NONE = 0;

    private final Arena arena;
    private final MemFd memory;
    private final KeyTable table;
    private final int[] keys = new int[KeyTable.ENTRIES];
    private final int[] registrations = new int[KeyTable.ENTRIES];
    private int lastRegistration;
    private boolean handedOver;

    private GrantedKeys(Arena arena, MemFd memory, KeyTable table) {
        this.arena = arena;
        this.memory = memory;
        this.table = table;
    }

    /**
     * Makes an empty table.
     *
     * @throws IOException when there is no memory for it
     */
    static GrantedKeys create() throws IOException {
        MemFd memory = MemFd.create("rdma-rpc-keys", KeyTable.BYTES);
        Arena arena = Arena.ofShared();
        try {
            return new GrantedKeys(arena, memory, new KeyTable(memory.map(arena, () -> {})));
        } catch (IOException e) {
            arena.close();
            memory.close();
            throw e;
        }
    }

    /** Sees to it that the peer has the table; false when it cannot take it now. */
    boolean handOver(Handover handover, Path inbox) {
        if (!handedOver && handover.offer(inbox, Handover.PAGES, Handover.KEYS, memory)) {
            handedOver = true;
            memory.close();
        }
        return handedOver;
    }

    /** Grants a key, if it is not granted yet; {@link PeerMemory#NO_GRANT} when there is no room for it. */
    long grant(int key) {
        int first = firstEntry(key);
        int free = -1;
        for (int entry = first; entry < first + WAYS; entry++) {
            if (keys[entry] == key) {
                return KeyTable.grant(entry, registrations[entry]);
            }
            if (keys[entry] == NONE) {
                free = entry;
            }
        }
        return free < 0 ? PeerMemory.NO_GRANT : grant(free, key);
    }

    private long grant(int entry, int key) {
        lastRegistration = lastRegistration == -1 ? 1 : lastRegistration + 1;
        keys[entry] = key;
        registrations[entry] = lastRegistration;
        table.set(entry, key, lastRegistration);
        return KeyTable.grant(entry, lastRegistration);
    }

    /** Tells whether a key is granted. */
    boolean has(int key) {
        return entryOf(key) >= 0;
    }

    /** Ends a key, if it is granted. */
    void revoke(int key) {
        int entry = entryOf(key);
        if (entry >= 0) {
            keys[entry] = NONE;
            table.clear(entry);
        }
    }

    /** Ends all of them. The peer may have the table mapped for as long as it likes. */
    void revokeAll() {
        for (int entry = 0; entry < keys.length; entry++) {
            if (keys[entry] != NONE) {
                keys[entry] = NONE;
                table.clear(entry);
            }
        }
    }

    private int entryOf(int key) {
        int first = firstEntry(key);
        for (int entry = first; entry < first + WAYS; entry++) {
            if (keys[entry] == key && key != NONE) {
                return entry;
            }
        }
        return -1;
    }

    private static int firstEntry(int key) {
        return (key >>> Integer.SIZE - SET_BITS) * WAYS;
    }

    @Override
    public void close() {
        revokeAll();
        if (!handedOver) {
            memory.close();
        }
        arena.close();
    }
}
