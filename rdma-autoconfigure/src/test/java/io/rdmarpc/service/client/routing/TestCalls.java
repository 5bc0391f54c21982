package io.rdmarpc.service.client.routing;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.Loopback;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Calls that remain in flight until the test ends them. */
final class TestCalls {

    private static final int METHOD = 77;
    private static final List<RpcRequest> HELD = new CopyOnWriteArrayList<>();

    private TestCalls() {}

    static void start(Loopback server, RpcSession session) {
        server.handle(METHOD, HELD::add);
        MessageBuffer empty = session.allocate(1);
        empty.length(1);
        session.call(METHOD, empty, TimeUnit.MINUTES.toNanos(1), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                response.close();
            }

            @Override
            public void onFailure(RdmaRpcException failure) {}
        });
    }

    static void endAll() {
        HELD.forEach(request -> request.fail(RpcStatus.CANCELLED, "", "the test has ended"));
        HELD.clear();
    }
}
