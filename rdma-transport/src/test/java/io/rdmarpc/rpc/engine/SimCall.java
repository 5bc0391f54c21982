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

/** A call of a {@link Simulation}: knows which answer is right, and that it ends once. */
final class SimCall implements ResponseHandler {

    /** A deadline travels in microseconds. */
    private static final long ROUNDING_NANOS = 1_000;

    private final Simulation simulation;
    final SimSession session;
    final long id;
    private final int length;
    private final int answerLength;
    private final SimMessage.Wish wish;
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
            int answerLength,
            SimMessage.Wish wish,
            long timeoutNanos) {
        this.simulation = simulation;
        this.session = session;
        this.id = id;
        this.length = length;
        this.answerLength = length < SimMessage.TINY ? length : answerLength;
        this.wish = length < SimMessage.TINY ? SimMessage.Wish.ANSWER : wish;
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
        SimMessage.writeRequest(request.segment(), id, length, answerLength, wish);
        request.length(length);
        client.call(method, request, timeoutNanos, this);
    }

    /** As a caller does that runs the loop itself, and not from a handler. */
    void startAsOwner(int method) {
        ClientSession client = session.client();
        PreparedCall own = (PreparedCall) client.prepareCall(this::onEnd);
        prepared = own;
        try {
            SimMessage.writeRequest(own.request(length).segment(), id, length, answerLength, wish);
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
            onAnswer(response.payload());
            ended.close();
            simulation.onAnsweredAsOwner();
        } catch (RdmaRpcException failure) {
            ended.close();
            onFailure(failure);
        }
    }

    /** Its caller does not want it any more. */
    void cancel() {
        cancelled = true;
        session.client().cancel(prepared == null ? this : prepared);
    }

    boolean hasEnded() {
        return ends > 0;
    }

    @Override
    public void onResponse(InboundMessage response) {
        onAnswer(response.payload());
        if (simulation.keepsAnswer(this)) {
            kept = response;
        } else {
            response.close();
        }
    }

    private void onAnswer(MemorySegment answer) {
        onEnd();
        simulation.check(
                wish == SimMessage.Wish.ANSWER || wish == SimMessage.Wish.ANSWER_LATER,
                this + " was answered, and should have failed");
        checkAnswer(answer);
        simulation.check(
                length < SimMessage.TINY || simulation.executions(id) == 1, this + " was answered and never run");
    }

    private void checkAnswer(MemorySegment answer) {
        simulation.check(
                SimMessage.isAnswer(answer, id, answerLength),
                this + " has the wrong answer, of " + answer.byteSize() + " bytes");
    }

    /** Its answer was read slowly; it must still be what it was. */
    void closeKept() {
        InboundMessage response = kept;
        if (response != null) {
            checkAnswer(response.payload());
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
                wish == SimMessage.Wish.THROW && remote.getMessage().contains(SimService.ON_PURPOSE);
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
        return "call " + id + " of " + length + " bytes for " + answerLength + " (" + wish + ")";
    }
}
