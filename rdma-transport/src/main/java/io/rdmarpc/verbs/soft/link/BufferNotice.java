package io.rdmarpc.verbs.soft.link;

import java.util.concurrent.atomic.AtomicBoolean;

/** Says once when the kernel gave sockets so little memory that large messages must be sent in small steps. */
final class BufferNotice {

    /** With this much, no window of the RNIC is narrowed. */
    static final int ENOUGH_BYTES = 4 << 20;

    private static final System.Logger LOG = System.getLogger(BufferNotice.class.getName());
    private static final AtomicBoolean SAID = new AtomicBoolean();

    private BufferNotice() {}

    static void check(int grantedBytes) {
        if (grantedBytes < ENOUGH_BYTES && SAID.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.INFO, text(grantedBytes));
        }
    }

    static String text(int grantedBytes) {
        return "the kernel gives UDP sockets a receive buffer of " + grantedBytes / 1024
                + " KiB: no more than a quarter of it is on its way at a time. On Linux \"sysctl -w net.core.rmem_max="
                + ENOUGH_BYTES + "\" makes large messages faster";
    }
}
