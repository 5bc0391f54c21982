package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A message that its caller holds as a {@link MessageBuffer} and has to close. When nobody holds it any more and it was not
 * closed, the log says whose result it was. Its memory is not given back even then: views of it may be in use, and would
 * show somebody else's message.
 */
final class WatchedResult implements InboundMessage {

    private static final Log LOG = LogFactory.getLog(WatchedResult.class);
    private static final Cleaner DROPPED = Cleaner.create();

    private final ServiceMethod method;
    private final InboundMessage message;
    private volatile boolean closed;
    private volatile Cleaner.@Nullable Cleanable watch;

    WatchedResult(ServiceMethod method, InboundMessage message) {
        this.method = method;
        this.message = message;
    }

    /** Begins with what the caller gets. */
    void watch(MessageBuffer buffer) {
        watch = DROPPED.register(buffer, this::dropped);
    }

    private void dropped() {
        if (!closed) {
            LOG.warn("a result of " + method + ", " + message.length()
                    + " bytes, was dropped without being closed, and its memory is lost to this process:"
                    + " close the MessageBuffers that methods return");
        }
    }

    @Override
    public MemorySegment payload() {
        return message.payload();
    }

    @Override
    public int length() {
        return message.length();
    }

    @Override
    public void close() {
        closed = true;
        message.close();
        Cleaner.Cleanable watching = watch;
        if (watching != null) {
            watching.clean();
        }
    }
}
