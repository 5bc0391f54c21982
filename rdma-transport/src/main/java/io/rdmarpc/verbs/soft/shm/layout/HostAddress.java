package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/** Addresses as 16 bytes; IPv4 addresses are IPv4-mapped. */
public final class HostAddress {

    private static final int BYTES = ShmRingLayout.ADDRESS_BYTES;

    private HostAddress() {}

    public static byte[] bytes(InetAddress address) {
        byte[] raw = address.getAddress();
        byte[] all = new byte[BYTES];
        System.arraycopy(raw, 0, all, BYTES - raw.length, raw.length);
        if (raw.length < BYTES) {
            Arrays.fill(all, BYTES - raw.length - 2, BYTES - raw.length, (byte) 0xFF);
        }
        return all;
    }

    public static String text(byte[] address) {
        return HexFormat.of().formatHex(address);
    }

    public static String text(LinkAddress address) {
        return text(bytes(address.inetAddress()));
    }
}
