package io.rdmarpc.verbs.interop;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * The first message of each end: its addresses in one line of text.
 *
 * @param rc number of the reliable queue pair
 * @param ud number of the datagram queue pair
 * @param psn first PSN of the reliable connection
 * @param lid UDP port of a software RNIC, 0 for 4791
 * @param gid the GID
 * @param rkey key of the memory
 * @param memory address of the memory
 */
record InteropAddress(int rc, int ud, int psn, int lid, Gid gid, int rkey, long memory) {

    private static final int FIELDS = 8;

    String line() {
        return rc + " " + ud + " " + psn + " " + lid + " " + gid.high() + " " + gid.low() + " " + rkey + " " + memory;
    }

    static InteropAddress parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("no address: " + line);
        }
        return new InteropAddress(
                Integer.parseInt(fields[0]),
                Integer.parseInt(fields[1]),
                Integer.parseInt(fields[2]),
                Integer.parseInt(fields[3]),
                new Gid(Long.parseLong(fields[4]), Long.parseLong(fields[5])),
                Integer.parseInt(fields[6]),
                Long.parseLong(fields[7]));
    }
}
