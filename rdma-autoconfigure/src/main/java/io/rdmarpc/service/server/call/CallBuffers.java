package io.rdmarpc.service.server.call;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The message buffers of one call: its argument, and the buffers allocated for its result. When the response is sent,
 * all buffers are closed that the method has neither closed nor returned. A method that throws therefore leaks none.
 * Thread-safe.
 */
final class CallBuffers {

    private static final Log LOG = LogFactory.getLog(CallBuffers.class);

    private final List<MessageBuffer> all = new ArrayList<>(2);
    private int arguments;

    synchronized void addArgument(MessageBuffer argument) {
        all.addFirst(argument);
        arguments++;
    }

    synchronized void addResult(MessageBuffer result) {
        all.addLast(result);
    }

    /**
     * Keeps result buffers open after the method has returned a future. Its code may write into them even after
     * cancellation.
     */
    synchronized void leaveResults() {
        all.subList(arguments, all.size()).clear();
    }

    /** Closes the buffers when the call has ended, except for its response. */
    @SuppressWarnings("ReferenceEquality") // buffer identity
    synchronized void end(@Nullable MessageBuffer response) {
        for (MessageBuffer buffer : all) {
            if (buffer != response && buffer.isOpen()) {
                close(buffer);
            }
        }
        all.clear();
    }

    private static void close(MessageBuffer buffer) {
        try {
            buffer.close();
        } catch (RdmaBufferStateException closedMeanwhile) {
            LOG.trace("another thread has closed the buffer", closedMeanwhile);
        }
    }
}
