package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * The address and the memory of one end, sent to the other end before a run as one line of numbers.
 *
 * @param lid LID of the port on an InfiniBand subnet; the UDP port of a software RNIC
 * @param qpn number of the queue pair
 * @param psn packet sequence number of the first packet that the queue pair sends
 * @param gid GID of the port
 * @param address address of the first byte of its memory
 * @param rkey remote key of that memory
 */
record EndPoint(int lid, int qpn, int psn, Gid gid, long address, int rkey) {

    private static final int FIELDS = 7;

    static EndPoint parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("the peer sent \"" + line + "\" instead of " + FIELDS + " numbers");
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
