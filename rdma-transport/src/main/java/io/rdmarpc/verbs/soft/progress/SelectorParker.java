package io.rdmarpc.verbs.soft.progress;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;

/**
 * Sleeps in a selector, for processes without native access. It counts milliseconds, so timers of the protocol may be
 * late.
 */
public final class SelectorParker implements Parker {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Selector selector;

    public SelectorParker(List<? extends SelectableChannel> channels) {
        try {
            selector = Selector.open();
            for (SelectableChannel channel : channels) {
                channel.register(selector, SelectionKey.OP_READ);
            }
        } catch (IOException e) {
            throw new RdmaVerbsException(
                    "ibv_create_comp_channel",
                    DeviceConstants.NAME,
                    Errno.EIO,
                    "Cannot open a selector for the sockets: " + e);
        }
    }

    @Override
    public void sleep(long nanos) {
        try {
            selector.select(key -> {}, Math.max(1, (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI));
        } catch (IOException e) {
            throw new UncheckedIOException("select failed on an open selector", e);
        }
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the selector", e);
        }
    }
}
