package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * What one end tells the other before a run: one line of numbers.
 *
 * @param lid address on an InfiniBand subnet; the UDP port of a software RNIC
 * @param qpn number of the queue pair
 * @param psn number of the first packet it sends
 * @param gid its global address
 * @param address first byte of its memory
 * @param rkey key to that memory
 */
record EndPoint(int lid, int qpn, int psn, Gid gid, long address, int rkey) {

    private static final int FIELDS = 7;

    static EndPoint parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException(
                    "the peer said \"" + line + "\" where " + FIELDS + " numbers were expected");
        }
        return new EndPoint(
                Integer.parseInt(fields[0]),
                Integer.parseInt(fields[1]),
                Integer.parseInt(fields[2]),
                new Gid(Long.parseLong(fields[3]), Long.parseLong(fields[4])),
                Long.parseLong(fields[5]),
                Integer.parseInt(fields[6]));
    }

    String line() {
        return lid + " " + qpn + " " + psn + " " + gid.high() + " " + gid.low() + " " + address + " " + rkey;
    }
}
