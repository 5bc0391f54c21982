package io.rdmarpc.benchmarks.jucx;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The memory of one end as a line of text.
 *
 * @param address address of the first byte in the peer's process
 * @param key remote key, packed by UCX
 */
record JucxRemoteMemory(long address, ByteBuffer key) {

    static JucxRemoteMemory parse(String line) {
        String[] words = line.split(" ", 2);
        return new JucxRemoteMemory(Long.parseLong(words[0]), bytes(words[1]));
    }

    String line() {
        return address + " " + hex(key);
    }

    /** Encodes bytes that UCX packed as hexadecimal digits. */
    static String hex(ByteBuffer packed) {
        byte[] bytes = new byte[packed.remaining()];
        packed.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Decodes hexadecimal digits into memory that native code can read. */
    static ByteBuffer bytes(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }
}
