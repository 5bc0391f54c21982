package io.rdmarpc.service.server.call;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The message buffers that a call's method got, and those it allocated for its result. What the method has neither closed nor
 * returned is closed with its answer, so that a method which throws leaves nothing behind. Any thread.
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

    /** The method has returned a future: something may still write into what it allocated, also when that is cancelled. */
    synchronized void leaveResults() {
        all.subList(arguments, all.size()).clear();
    }

    /** The call is answered. */
    @SuppressWarnings("ReferenceEquality") // a buffer is itself and no other
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
            LOG.trace("somebody else has closed it", closedMeanwhile);
        }
    }
}
