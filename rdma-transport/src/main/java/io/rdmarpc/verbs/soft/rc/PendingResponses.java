package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.Psn;
import org.jspecify.annotations.Nullable;

/**
 * READs and atomics without a complete response, in the order of their PSNs. A duplicate of a request, or of a part of
 * it, is inserted before later requests and replaces those that it covers. Entries are reused.
 */
final class PendingResponses {

    private Entry[] entries = new Entry[0];
    private int count;

    /** The packets of one response that were not sent yet. */
    static final class Entry {
        private int firstPsn;
        private int endPsn;
        private int nextPsn;
        private long address;
        private int rkey;
        private int length;
        private boolean atomic;
        private boolean acceptsGrant;
        private boolean repeated;
        private boolean acceptsBytes;
        private long found;

        /** Returns whether this is the response to an atomic. */
        boolean isAtomic() {
            return atomic;
        }

        /** Returns the original value of the atomic. */
        long found() {
            return found;
        }

        /** Returns whether the peer accepts a grant instead of the bytes. */
        boolean acceptsGrant() {
            return acceptsGrant;
        }

        /**
         * Returns whether the request is a duplicate. Its response may have arrived before, so its memory may be freed
         * already.
         */
        boolean isRepeated() {
            return repeated;
        }

        /** Returns whether the peer accepts the bytes. */
        boolean acceptsBytes() {
            return acceptsBytes;
        }

        int nextPsn() {
            return nextPsn;
        }

        long address() {
            return address;
        }

        int rkey() {
            return rkey;
        }

        int length() {
            return length;
        }

        /** Returns the index of the next packet of the response, from 0. */
        int nextPacket() {
            return Psn.distance(firstPsn, nextPsn);
        }

        /** Advances by a sent packet; true if it was the last one. */
        boolean advance() {
            nextPsn = Psn.plus(nextPsn, 1);
            return nextPsn == endPsn;
        }
    }

    /** Discards all entries and sets the capacity. */
    void reset(int capacity) {
        entries = new Entry[capacity];
        for (int i = 0; i < capacity; i++) {
            entries[i] = new Entry();
        }
        count = 0;
    }

    boolean isEmpty() {
        return count == 0;
    }

    Entry first() {
        return entries[0];
    }

    void removeFirst() {
        remove(0);
    }

    private void remove(int index) {
        Entry removed = entries[index];
        System.arraycopy(entries, index + 1, entries, index, --count - index);
        entries[count] = removed;
    }

    /** Returns whether there is no room for a new request. */
    boolean isFull() {
        return count == entries.length;
    }

    /** Adds a READ with the number of its response packets; false if there is no room. */
    boolean putRead(
            int psn,
            int packets,
            long address,
            int rkey,
            int length,
            boolean acceptsGrant,
            boolean acceptsBytes,
            boolean repeated) {
        Entry entry = put(psn, packets);
        if (entry == null) {
            return false;
        }
        entry.atomic = false;
        entry.acceptsGrant = acceptsGrant;
        entry.repeated = repeated;
        entry.acceptsBytes = acceptsBytes;
        entry.address = address;
        entry.rkey = rkey;
        entry.length = length;
        return true;
    }

    /** Adds the original value of an atomic; false if there is no room. */
    boolean putAtomic(int psn, long found) {
        Entry entry = put(psn, 1);
        if (entry == null) {
            return false;
        }
        entry.atomic = true;
        entry.found = found;
        return true;
    }

    private @Nullable Entry put(int psn, int packets) {
        int end = Psn.plus(psn, packets);
        int at = 0;
        while (at < count && Psn.isBefore(entries[at].nextPsn, psn)) {
            at++;
        }
        while (at < count && !Psn.isBefore(end, entries[at].endPsn)) {
            remove(at);
        }
        if (isFull()) {
            return null;
        }
        Entry entry = entries[count];
        System.arraycopy(entries, at, entries, at + 1, count++ - at);
        entries[at] = entry;
        entry.firstPsn = psn;
        entry.nextPsn = psn;
        entry.endPsn = end;
        return entry;
    }

    void clear() {
        count = 0;
    }
}
