package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The methods of a process in a {@link Simulation}: they do what the request asks for. */
final class SimService implements RequestHandler {

    static final String ON_PURPOSE = "failed on purpose";

    private final Simulation simulation;
    /** Calls that are answered later. */
    final List<RpcRequest> held = new ArrayList<>();

    SimService(Simulation simulation) {
        this.simulation = simulation;
    }

    @Override
    public void handle(RpcRequest request) {
        MemorySegment message = request.message().payload();
        simulation.check(SimMessage.isRequest(message), "a request arrived with wrong bytes");
        if (message.byteSize() >= SimMessage.TINY) {
            simulation.onExecuted(SimMessage.id(message));
        }
        switch (SimMessage.wish(message)) {
            case ANSWER -> answer(request);
            case ANSWER_LATER -> hold(request);
            case THROW -> throw new IllegalStateException(ON_PURPOSE);
            case REFUSE -> request.fail(RpcStatus.BACKPRESSURE, "", ON_PURPOSE);
        }
    }

    private void hold(RpcRequest request) {
        held.add(request);
        boolean[] told = new boolean[1];
        request.cancellation().onCancel(() -> {
            simulation.check(
                    !told[0] && held.contains(request), "a handler that has answered is told to stop, or twice");
            told[0] = true;
            simulation.onCancelled();
        });
    }

    private void answer(RpcRequest request) {
        MemorySegment message = request.message().payload();
        simulation.check(SimMessage.isRequest(message), "a request changed while its method ran");
        int length = SimMessage.answerLength(message);
        long id = message.byteSize() < SimMessage.TINY ? 0 : SimMessage.id(message);
        MessageBuffer answer = request.allocate(length);
        SimMessage.writeAnswer(answer.segment(), id, length);
        answer.length(length);
        request.respond(answer);
    }

    /** Answers one of the calls that wait, as another thread would. */
    void answerHeld(int index) {
        RpcRequest request = held.get(index);
        try {
            answer(request);
        } catch (RdmaException e) {
            request.fail(RpcStatus.INTERNAL, e.getClass().getName(), String.valueOf(e.getMessage()));
        } finally {
            held.remove(request);
        }
    }

    void answerAll() {
        while (!held.isEmpty()) {
            answerHeld(held.size() - 1);
        }
    }
}
