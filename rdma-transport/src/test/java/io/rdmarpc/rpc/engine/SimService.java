package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The methods of a process in a {@link Simulation}: they do what the request specifies. */
final class SimService implements RequestHandler {

    static final String ON_PURPOSE = "failed on purpose";

    private final Simulation simulation;
    /** Calls that are completed later. */
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
        switch (SimMessage.action(message)) {
            case RESPOND -> respond(request);
            case RESPOND_LATER -> hold(request);
            case THROW -> throw new IllegalStateException(ON_PURPOSE);
            case REJECT -> request.fail(RpcStatus.BACKPRESSURE, "", ON_PURPOSE);
        }
    }

    private void hold(RpcRequest request) {
        held.add(request);
        boolean[] notified = new boolean[1];
        request.cancellation().onCancel(() -> {
            simulation.check(
                    !notified[0] && held.contains(request),
                    "a handler is notified of a cancellation after its response, or twice");
            notified[0] = true;
            simulation.onCancelled();
        });
    }

    private void respond(RpcRequest request) {
        MemorySegment message = request.message().payload();
        simulation.check(SimMessage.isRequest(message), "a request changed while its method ran");
        int length = SimMessage.responseLength(message);
        long id = message.byteSize() < SimMessage.TINY ? 0 : SimMessage.id(message);
        MessageBuffer response = request.allocate(length);
        SimMessage.writeResponse(response.segment(), id, length);
        response.length(length);
        request.respond(response);
    }

    /** Responds to one of the waiting calls, as another thread would. */
    void respondToHeld(int index) {
        RpcRequest request = held.get(index);
        try {
            respond(request);
        } catch (RdmaException e) {
            request.fail(RpcStatus.INTERNAL, e.getClass().getName(), String.valueOf(e.getMessage()));
        } finally {
            held.remove(request);
        }
    }

    void respondToAll() {
        while (!held.isEmpty()) {
            respondToHeld(held.size() - 1);
        }
    }
}
