package io.rdmarpc.examples.pingpong;

import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.Gid;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address that the ping-pong programs of rdma-core exchange: 52 bytes of text over TCP, the last of which is 0.
 *
 * <pre>
 *   0000:000011:f8ce70:00000000000000000000ffff0a010001\0
 *   LID  QPN    PSN    GID, its 16 bytes in network order
 * </pre>
 *
 * @param lid LID of the port on an InfiniBand subnet, 0 on Ethernet
 * @param qpn number of the queue pair
 * @param psn packet sequence number of the first packet that the queue pair sends
 * @param gid GID of the port
 */
record PingPongAddress(int lid, int qpn, int psn, Gid gid) {

    static final int BYTES = 52;

    private static final Pattern FORM =
            Pattern.compile("([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{16})([0-9a-f]{16})\0");

    static PingPongAddress of(OpenPort port, QueuePair queuePair, int psn) {
        return new PingPongAddress(
                port.lid(), queuePair.number(), psn, port.gid().gid());
    }

    byte[] message() {
        return "%04x:%06x:%06x:%016x%016x\0"
                .formatted(lid, qpn, psn, gid.high(), gid.low())
                .getBytes(StandardCharsets.US_ASCII);
    }

    static PingPongAddress parse(byte[] message) {
        String text = new String(message, StandardCharsets.US_ASCII);
        Matcher fields = FORM.matcher(text);
        if (!fields.matches()) {
            throw new IllegalArgumentException("the peer sent \"" + text.strip()
                    + "\" instead of LID:QPN:PSN:GID in hexadecimal. Check that the peer is a ping-pong program");
        }
        return new PingPongAddress(
                HexFormat.fromHexDigits(fields.group(1)),
                HexFormat.fromHexDigits(fields.group(2)),
                HexFormat.fromHexDigits(fields.group(3)),
                new Gid(
                        HexFormat.fromHexDigitsToLong(fields.group(4)),
                        HexFormat.fromHexDigitsToLong(fields.group(5))));
    }

    @Override
    public String toString() {
        return "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s".formatted(lid, qpn, psn, gid);
    }
}
