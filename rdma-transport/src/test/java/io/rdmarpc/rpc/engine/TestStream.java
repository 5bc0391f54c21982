package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of a stream in a test, which stores its messages. */
final class TestStream implements StreamReceiver {

    final List<byte[]> items = new ArrayList<>();
    RpcStream stream;
    boolean greedy = true;
    int ends;
    int writable;
    private @Nullable RdmaRpcException failure;
    private int failures;

    @Override
    public void onItem(InboundMessage message) {
        assertThat(ends + failures).as("nothing follows the end").isZero();
        try (message) {
            items.add(message.payload().toArray(ValueLayout.JAVA_BYTE));
        }
        if (greedy) {
            stream.request(1);
        }
    }

    @Override
    public void onEnd() {
        assertThat(failures).isZero();
        ends++;
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        failures++;
        failure = reason;
    }

    @Override
    public void onWritable() {
        writable++;
    }

    boolean offer(byte[] bytes) {
        var buffer = EngineRig.filled(stream.allocate(bytes.length), bytes);
        boolean taken = false;
        try {
            taken = stream.offer(buffer);
            return taken;
        } finally {
            if (!taken) {
                buffer.close();
            }
        }
    }

    boolean hasFailed() {
        return failures > 0;
    }

    RdmaRpcException failure() {
        assertThat(failures).as("failures").isOne();
        return failure;
    }
}
