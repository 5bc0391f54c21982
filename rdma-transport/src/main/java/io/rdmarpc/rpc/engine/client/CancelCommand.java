package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.context.EngineCommand;

/**
 * Cancels a call for its caller. The command follows the call in the inbox, unless another thread is still submitting
 * that call.
 */
final class CancelCommand extends EngineCommand {

    private final ClientSession session;
    private final ResponseHandler handler;
    private final long atNanos;

    CancelCommand(ClientSession session, ResponseHandler handler, long atNanos) {
        this.session = session;
        this.handler = handler;
        this.atNanos = atNanos;
    }

    @Override
    public void execute(long nowNanos) {
        session.calls().cancel(session, handler, atNanos, nowNanos);
    }
}
