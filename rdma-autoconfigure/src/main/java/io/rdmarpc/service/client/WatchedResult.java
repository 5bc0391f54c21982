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
 * A message that its caller holds as a {@link MessageBuffer} and must close. If the buffer becomes unreachable
 * without being closed, the method of the result is logged. The memory is not released even then: views of it may
 * still be in use, and would show the content of another message.
 */
final class WatchedResult implements InboundMessage {

    private static final Log LOG = LogFactory.getLog(WatchedResult.class);
    private static final Cleaner CLEANER = Cleaner.create();

    private final ServiceMethod method;
    private final InboundMessage message;
    private volatile boolean closed;
    private volatile Cleaner.@Nullable Cleanable watch;

    WatchedResult(ServiceMethod method, InboundMessage message) {
        this.method = method;
        this.message = message;
    }

    /** Begins to watch the buffer that the caller receives. */
    void watch(MessageBuffer buffer) {
        watch = CLEANER.register(buffer, this::unreachable);
    }

    private void unreachable() {
        if (!closed) {
            LOG.warn("a result of " + method + ", " + message.length()
                    + " bytes, was not closed before it became unreachable, and its memory is lost to this process:"
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
