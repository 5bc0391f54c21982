package io.rdmarpc.verbs.soft.link;

import java.util.concurrent.atomic.AtomicBoolean;

/** Logs once that the kernel limits socket buffers, so that large messages are sent in small windows. */
final class BufferNotice {

    /** A buffer of this size does not limit any window of the RNIC. */
    static final int ENOUGH_BYTES = 4 << 20;

    private static final System.Logger LOG = System.getLogger(BufferNotice.class.getName());
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private BufferNotice() {}

    static void check(int grantedBytes) {
        if (grantedBytes < ENOUGH_BYTES && LOGGED.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.INFO, text(grantedBytes));
        }
    }

    static String text(int grantedBytes) {
        return "the kernel limits the receive buffer of UDP sockets to " + grantedBytes / 1024
                + " KiB. At most a quarter of it is in flight at a time. On Linux \"sysctl -w net.core.rmem_max="
                + ENOUGH_BYTES + "\" makes large messages faster";
    }
}
