package io.rdmarpc.cli;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;

/**
 * Formats a GID like {@code ibv_devinfo}: a RoCE v2 GID as a shortened IPv6 address, other GIDs in full.
 *
 * @param entry the GID
 */
record GidText(GidEntry entry) {

    private static final int GROUPS = 8;
    private static final int GROUPS_PER_LONG = 4;
    private static final int GROUP_BITS = 16;
    private static final int GROUP_MASK = 0xFFFF;

    String text(LinkLayer below) {
        return below == LinkLayer.ETHERNET ? address() + ", " + type() : address();
    }

    String address() {
        return entry.type() == GidType.ROCE_V2 ? shortest() : full();
    }

    String type() {
        return switch (entry.type()) {
            case IB -> "IB";
            case ROCE_V1 -> "RoCE v1";
            case ROCE_V2 -> "RoCE v2";
        };
    }

    private int group(int index) {
        Gid gid = entry.gid();
        long half = index < GROUPS_PER_LONG ? gid.high() : gid.low();
        return (int) (half >>> (GROUP_BITS * (GROUPS_PER_LONG - 1 - index % GROUPS_PER_LONG))) & GROUP_MASK;
    }

    private String full() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            text.append(i == 0 ? "" : ":").append("%04x".formatted(group(i)));
        }
        return text.toString();
    }

    /**
     * Formats the address as {@code inet_ntop} does: without the longest run of zeros, and an IPv4 address with dots.
     */
    private String shortest() {
        if (entry.gid().isIpv4Mapped()) {
            return entry.gid().toString();
        }
        int start = longestZeros();
        int end = start + zerosFrom(start);
        return end - start < 2 ? groups(0, GROUPS) : groups(0, start) + "::" + groups(end, GROUPS);
    }

    private int longestZeros() {
        int best = 0;
        for (int i = 1; i < GROUPS; i++) {
            if (zerosFrom(i) > zerosFrom(best)) {
                best = i;
            }
        }
        return best;
    }

    private int zerosFrom(int start) {
        int end = start;
        while (end < GROUPS && group(end) == 0) {
            end++;
        }
        return end - start;
    }

    private String groups(int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(group(i)));
        }
        return text.toString();
    }
}
