package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import java.time.Duration;

/** A channel whose calls use only the session on its own engine, not sessions on all engines of the runtime. */
record OneEngineChannel(RpcChannel channel) implements RpcChannel {

    @Override
    public RpcSession session(Duration timeout) {
        return channel.session(timeout);
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract) {
        channel.verify(session, contract);
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract, Duration timeout) {
        channel.verify(session, contract, timeout);
    }

    @Override
    public void keepIdle() {
        channel.keepIdle();
    }

    @Override
    public int underWay() {
        return channel.underWay();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public void close() {
        channel.close();
    }
}
