package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Records how a call ended, and how often. */
final class TestCall implements ResponseHandler {

    private byte @Nullable [] response;
    private @Nullable RdmaRpcException failure;
    private int ends;

    @Override
    public void onResponse(InboundMessage message) {
        ends++;
        try (message) {
            response = message.payload().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        ends++;
        failure = reason;
    }

    int ends() {
        return ends;
    }

    byte[] response() {
        assertThat(failure).isNull();
        assertThat(ends).as("ends").isOne();
        return response;
    }

    RdmaRpcException failure() {
        assertThat(response).isNull();
        assertThat(ends).as("ends").isOne();
        return failure;
    }
}
