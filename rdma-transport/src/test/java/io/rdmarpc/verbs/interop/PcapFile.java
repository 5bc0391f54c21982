package io.rdmarpc.verbs.interop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the IPv4 packets of a capture file: libpcap's classic format, of Ethernet frames or of bare IP packets. */
public final class PcapFile {

    private static final int MICROSECONDS = 0xA1B2_C3D4;
    private static final int NANOSECONDS = 0xA1B2_3C4D;
    private static final int ETHERNET = 1;
    private static final int RAW_IP = 101;
    private static final int ETHERNET_BYTES = 14;

    private PcapFile() {}

    /** Returns the packets, each from its IPv4 header on. */
    public static List<ByteBuffer> packets(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        int magic = bytes.getInt(0);
        int link = bytes.getInt(20);
        if ((magic != MICROSECONDS && magic != NANOSECONDS) || (link != ETHERNET && link != RAW_IP)) {
            throw new IOException("magic %x, link type %d".formatted(magic, link));
        }
        List<ByteBuffer> packets = new ArrayList<>();
        for (int at = 24; at < bytes.limit(); at += 16 + bytes.getInt(at + 8)) {
            int captured = bytes.getInt(at + 8);
            if (captured != bytes.getInt(at + 12)) {
                throw new IOException("packet " + packets.size() + " is cut");
            }
            int header = link == ETHERNET ? ETHERNET_BYTES : 0;
            packets.add(bytes.slice(at + 16 + header, captured - header));
        }
        return packets;
    }
}
