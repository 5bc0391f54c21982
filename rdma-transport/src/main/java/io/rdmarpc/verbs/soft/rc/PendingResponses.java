package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.wire.Psn;
import org.jspecify.annotations.Nullable;

/**
 * READs and atomics that are not yet fully answered, in the order of their PSNs. A request that is repeated, or a part of one,
 * comes before what is left of later ones and takes the place of what it covers itself. Entries are reused.
 */
final class PendingResponses {

    private Entry[] entries = new Entry[0];
    private int count;

    /** What is left of one request. */
    static final class Entry {
        private int firstPsn;
        private int endPsn;
        private int nextPsn;
        private long address;
        private int rkey;
        private int length;
        private boolean atomic;
        private boolean takesGrant;
        private boolean repeated;
        private boolean takesBytes;
        private long found;

        /** Tells whether this is the answer to an atomic. */
        boolean isAtomic() {
            return atomic;
        }

        /** Returns the value that the atomic found. */
        long found() {
            return found;
        }

        /** Tells whether the peer may be told where the bytes are, instead of being sent them. */
        boolean takesGrant() {
            return takesGrant;
        }

        /** Tells whether the request came before: its answer may have arrived since, and its memory may be gone for that reason. */
        boolean isRepeated() {
            return repeated;
        }

        /** Tells whether the bytes would be of use to the peer. */
        boolean takesBytes() {
            return takesBytes;
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

        /** Returns which packet of the response is next, from 0. */
        int nextPacket() {
            return Psn.distance(firstPsn, nextPsn);
        }

        /** Notes that a packet was sent; true when it was the last. */
        boolean advance() {
            nextPsn = Psn.plus(nextPsn, 1);
            return nextPsn == endPsn;
        }
    }

    /** Forgets everything and makes room. */
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

    /** Tells whether a request that repeats no other has room. */
    boolean isFull() {
        return count == entries.length;
    }

    /** Adds a READ whose response has some packets; false when there is no room. */
    boolean putRead(
            int psn,
            int packets,
            long address,
            int rkey,
            int length,
            boolean takesGrant,
            boolean takesBytes,
            boolean repeated) {
        Entry entry = put(psn, packets);
        if (entry == null) {
            return false;
        }
        entry.atomic = false;
        entry.takesGrant = takesGrant;
        entry.repeated = repeated;
        entry.takesBytes = takesBytes;
        entry.address = address;
        entry.rkey = rkey;
        entry.length = length;
        return true;
    }

    /** Adds the value that an atomic found; false when there is no room. */
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
