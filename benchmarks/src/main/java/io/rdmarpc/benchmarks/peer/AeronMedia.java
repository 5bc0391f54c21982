package io.rdmarpc.benchmarks.peer;

import io.aeron.driver.MediaDriver;

/** Media that carry Aeron's messages. */
enum AeronMedia {
    /** Shared memory. */
    IPC(64 << 20, 65504),
    /** UDP in datagrams that fit the MTU of any Ethernet. */
    UDP(16 << 20, 1408),
    /** UDP in larger datagrams, for the loopback interface and jumbo frames. */
    UDP_8K(16 << 20, 8192);

    private static final int BUFFER_BYTES = 2 << 20;

    private final int termBytes;
    private final int mtuBytes;

    AeronMedia(int termBytes, int mtuBytes) {
        this.termBytes = termBytes;
        this.mtuBytes = mtuBytes;
    }

    /** Returns Aeron's channel URI for one direction. */
    String channel(int port) {
        return this == IPC ? "aeron:ipc" : "aeron:udp?endpoint=127.0.0.1:" + port;
    }

    MediaDriver.Context configure(MediaDriver.Context context) {
        return context.ipcTermBufferLength(IPC.termBytes)
                .ipcMtuLength(IPC.mtuBytes)
                .publicationTermBufferLength(termBytes)
                .mtuLength(mtuBytes == IPC.mtuBytes ? UDP.mtuBytes : mtuBytes)
                .initialWindowLength(BUFFER_BYTES)
                .socketRcvbufLength(BUFFER_BYTES)
                .socketSndbufLength(BUFFER_BYTES);
    }
}
