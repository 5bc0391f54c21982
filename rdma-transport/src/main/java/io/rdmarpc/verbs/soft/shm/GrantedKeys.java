package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.shm.layout.KeyIndex;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * The keys granted to one peer, and the {@link KeyTable} that shows the peer which of them are valid. The content of
 * the table is kept here as well, because the peer can write to the table.
 *
 * <p>If all entries are in use, a key is not granted: its data is sent, as for memory that cannot be mapped. Under the
 * RNIC's lock.
 */
final class GrantedKeys implements AutoCloseable {

    private static final int NONE = 0;

    private final Arena arena;
    private final MemFd memory;
    private final KeyTable table;
    private final KeyIndex index = new KeyIndex();
    private final int[] keys = new int[KeyTable.ENTRIES];
    private final int[] free = new int[KeyTable.ENTRIES];
    private int freeCount;
    private int used;
    private final int[] registrations = new int[KeyTable.ENTRIES];
    private int lastRegistration;
    private boolean passed;

    private GrantedKeys(Arena arena, MemFd memory, KeyTable table) {
        this.arena = arena;
        this.memory = memory;
        this.table = table;
    }

    /**
     * Creates an empty table.
     *
     * @throws IOException if there is not enough memory
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

    /** Passes the table to the peer, unless it has it; false if the peer cannot receive it now. */
    boolean handOver(Handover handover, Path inbox) {
        if (!passed && handover.offer(inbox, Handover.PAGES, Handover.KEYS, memory)) {
            passed = true;
            memory.close();
        }
        return passed;
    }

    /**
     * Grants a key and returns its grant, which may exist already; {@link PeerMemory#NO_GRANT} if the table is full.
     */
    long grant(int key) {
        int known = index.find(key);
        if (known >= 0) {
            return KeyTable.grant(known, registrations[known]);
        }
        if (freeCount == 0 && used == KeyTable.ENTRIES) {
            return PeerMemory.NO_GRANT;
        }
        return grant(freeCount > 0 ? free[--freeCount] : used++, key);
    }

    private long grant(int entry, int key) {
        lastRegistration = lastRegistration == -1 ? 1 : lastRegistration + 1;
        keys[entry] = key;
        registrations[entry] = lastRegistration;
        index.put(key, entry);
        table.set(entry, key, lastRegistration);
        return KeyTable.grant(entry, lastRegistration);
    }

    /** Returns whether a key is granted. */
    boolean has(int key) {
        return index.find(key) >= 0;
    }

    /** Replaces a granted key of the same memory. A peer that learns the new key need not request a grant. */
    void renew(int key, int fresh) {
        int entry = index.remove(key);
        if (entry >= 0) {
            keys[entry] = fresh;
            index.put(fresh, entry);
            table.replace(entry, fresh, registrations[entry]);
        }
    }

    /** Revokes a key, if it is granted. */
    void revoke(int key) {
        int entry = index.remove(key);
        if (entry >= 0) {
            end(entry);
        }
    }

    private void end(int entry) {
        keys[entry] = NONE;
        free[freeCount++] = entry;
        table.clear(entry);
    }

    /** Revokes all keys. The peer may keep the table mapped. */
    void revokeAll() {
        for (int entry = 0; entry < used; entry++) {
            if (keys[entry] != NONE) {
                index.remove(keys[entry]);
                end(entry);
            }
        }
    }

    @Override
    public void close() {
        revokeAll();
        if (!passed) {
            memory.close();
        }
        arena.close();
    }
}
