package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.shm.layout.KeyIndex;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * The keys that one peer was granted, and the {@link KeyTable} that tells it which of them are valid. What is in the table is kept
 * here too, for the peer can write to it.
 *
 * <p>Where all entries are taken a key is not granted: its memory is sent, as memory that cannot be mapped is. Under the RNIC's
 * lock.
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

    /** Tells whether a key is granted. */
    boolean has(int key) {
        return index.find(key) >= 0;
    }

    /** Has another key stand for the same memory, if the key is granted: the peer that is told the new one need not ask. */
    void renew(int key, int fresh) {
        int entry = index.remove(key);
        if (entry >= 0) {
            keys[entry] = fresh;
            index.put(fresh, entry);
            table.replace(entry, fresh, registrations[entry]);
        }
    }

    /** Ends a key, if it is granted. */
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

    /** Ends all of them. The peer may have the table mapped for as long as it likes. */
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
        if (!handedOver) {
            memory.close();
        }
        arena.close();
    }
}
