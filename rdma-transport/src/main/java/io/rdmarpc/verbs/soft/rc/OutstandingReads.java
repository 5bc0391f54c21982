package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.port.DeviceConstants;

/** READs and atomics without a complete response, oldest first, each by the PSN after its response. */
final class OutstandingReads {

    private final int[] ends = new int[DeviceConstants.MAX_READS];
    private int first;
    private int count;

    int count() {
        return count;
    }

    private int at(int index) {
        return (first + index) % ends.length;
    }

    void add(int endPsn) {
        ends[at(count++)] = endPsn;
    }

    /** Removes a request whose response ended before a PSN. */
    void arrivedBefore(int psn) {
        if (count > 0 && ends[first] == psn) {
            first = at(1);
            count--;
        }
    }

    void clear() {
        count = 0;
    }
}
