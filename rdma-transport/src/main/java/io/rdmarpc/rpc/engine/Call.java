package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;

/** A call on its way from the caller's thread into the engine and back. Ends exactly once. */
final class Call extends EngineCommand {

    private static final System.Logger LOG = System.getLogger(Call.class.getName());

    final ClientSession session;
    final int methodId;
    final RegisteredBlock request;
    final int length;
    final long timeoutNanos;
    final long deadlineNanos;
    private final ResponseHandler handler;
    private boolean ended;

    Call(
            ClientSession session,
            int methodId,
            RegisteredBlock request,
            int length,
            long timeoutNanos,
            long deadlineNanos,
            ResponseHandler handler) {
        this.session = session;
        this.methodId = methodId;
        this.request = request;
        this.length = length;
        this.timeoutNanos = timeoutNanos;
        this.deadlineNanos = deadlineNanos;
        this.handler = handler;
    }

    @Override
    void execute(long nowNanos) {
        session.requests().submit(this, nowNanos);
    }

    boolean hasExpired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isFor(ResponseHandler other) {
        return handler == other;
    }

    boolean hasEnded() {
        return ended;
    }

    void succeed(InboundMessage response) {
        if (end()) {
            try {
                handler.onResponse(response);
            } catch (Throwable e) {
                response.close();
                LOG.log(System.Logger.Level.ERROR, "a response handler threw; it must not", e);
            }
        } else {
            response.close();
        }
    }

    void fail(RpcException failure) {
        if (end()) {
            try {
                handler.onFailure(failure);
            } catch (Throwable e) {
                LOG.log(System.Logger.Level.ERROR, "a response handler threw; it must not", e);
            }
        }
    }

    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        session.callEnded();
        return true;
    }
}
