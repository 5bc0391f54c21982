package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.ResponseHandler;

/** A caller gives a call up; behind the call in the inbox, so the engine knows that one. */
final class CancelCommand extends EngineCommand {

    private final ClientSession session;
    private final ResponseHandler handler;

    CancelCommand(ClientSession session, ResponseHandler handler) {
        this.session = session;
        this.handler = handler;
    }

    @Override
    void execute(long nowNanos) {
        session.requests().endings().cancel(session, handler, nowNanos);
    }
}
