package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.PreparedCall;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A call of a {@link Simulation}, which checks its response and that it ends once. */
final class SimCall implements ResponseHandler {

    /** A deadline is sent in microseconds. */
    private static final long ROUNDING_NANOS = 1_000;

    private final Simulation simulation;
    final SimSession session;
    final long id;
    private final int length;
    private final int responseLength;
    private final SimMessage.Action action;
    private final long startNanos;
    private final long timeoutNanos;
    private int ends;
    private boolean cancelled;
    private @Nullable InboundMessage kept;
    private @Nullable PreparedCall prepared;

    SimCall(
            Simulation simulation,
            SimSession session,
            long id,
            int length,
            int responseLength,
            SimMessage.Action action,
            long timeoutNanos) {
        this.simulation = simulation;
        this.session = session;
        this.id = id;
        this.length = length;
        this.responseLength = length < SimMessage.TINY ? length : responseLength;
        this.action = length < SimMessage.TINY ? SimMessage.Action.RESPOND : action;
        this.startNanos = simulation.clock.nanoTime();
        this.timeoutNanos = timeoutNanos;
    }

    void start(int method) {
        ClientSession client = session.client();
        MessageBuffer request;
        try {
            request = client.allocate(length);
        } catch (RdmaException e) {
            simulation.check(!client.isOpen(), "no memory for a request: " + e);
            ends = 1;
            return;
        }
        SimMessage.writeRequest(request.segment(), id, length, responseLength, action);
        request.length(length);
        client.call(method, request, timeoutNanos, this);
    }

    /** Starts the call as a caller that runs the loop itself, outside a handler. */
    void startAsOwner(int method) {
        ClientSession client = session.client();
        PreparedCall own = (PreparedCall) client.prepareCall(this::onEnd);
        prepared = own;
        try {
            SimMessage.writeRequest(own.request(length).segment(), id, length, responseLength, action);
        } catch (RdmaException e) {
            simulation.check(!client.isOpen(), "no memory for a request: " + e);
            ends = 1;
            own.close();
            return;
        }
        own.request(length).length(length);
        LoopOwnership ownership = session.client.node.loop.ownership();
        simulation.check(ownership.tryAcquire(), "another thread runs the loop");
        own.start(method, timeoutNanos, true);
        ownership.release();
    }

    private void onEnd(RpcCall ended) {
        try {
            MessageView response = ended.response();
            onResponseMessage(response.payload());
            ended.close();
            simulation.onCompletedAsOwner();
        } catch (RdmaRpcException failure) {
            ended.close();
            onFailure(failure);
        }
    }

    /** Cancels the call for its caller. */
    void cancel() {
        cancelled = true;
        session.client().cancel(prepared == null ? this : prepared);
    }

    boolean hasEnded() {
        return ends > 0;
    }

    @Override
    public void onResponse(InboundMessage response) {
        onResponseMessage(response.payload());
        if (simulation.keepsResponse(this)) {
            kept = response;
        } else {
            response.close();
        }
    }

    private void onResponseMessage(MemorySegment payload) {
        onEnd();
        simulation.check(
                action == SimMessage.Action.RESPOND || action == SimMessage.Action.RESPOND_LATER,
                this + " succeeded, but should have failed");
        checkResponse(payload);
        simulation.check(
                length < SimMessage.TINY || simulation.executions(id) == 1, this + " succeeded, but has never run");
    }

    private void checkResponse(MemorySegment payload) {
        simulation.check(
                SimMessage.isResponse(payload, id, responseLength),
                this + " has a wrong response of " + payload.byteSize() + " bytes");
    }

    /** Closes a response that was read slowly, after checking that it has not changed. */
    void closeKept() {
        InboundMessage response = kept;
        if (response != null) {
            checkResponse(response.payload());
            response.close();
            kept = null;
        }
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        onEnd();
        boolean expected = switch (failure) {
            case RdmaTimeoutException _ -> simulation.clock.nanoTime() - startNanos >= timeoutNanos - ROUNDING_NANOS;
            case RdmaRemoteException remote ->
                action == SimMessage.Action.THROW && remote.getMessage().contains(SimService.ON_PURPOSE);
            case RdmaNotExecutedException _ -> !session.client().takesCalls();
            case RdmaUnavailableException _ -> !session.client().isOpen();
            default ->
                failure instanceof RdmaBackpressureException || (cancelled && failure.status() == RpcStatus.CANCELLED);
        };
        simulation.check(expected, this + " failed with " + failure);
        if (failure instanceof RdmaNotExecutedException) {
            simulation.onNotRun(this);
        }
        simulation.onFailed(this);
    }

    private void onEnd() {
        ends++;
        simulation.check(ends == 1, this + " ended twice");
    }

    @Override
    public String toString() {
        return "call " + id + " of " + length + " bytes for " + responseLength + " (" + action + ")";
    }
}
