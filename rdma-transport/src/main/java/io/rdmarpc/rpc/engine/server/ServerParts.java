package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.rpc.engine.transfer.LoadShedding;

/**
 * The components that the calls at a server use.
 *
 * @param context the engine's context
 * @param responses sends the responses
 * @param shedding decides which calls to reject under load
 * @param streams the engine's operations on streams
 * @param cancellations watches deadlines that have listeners
 * @param ring the receive ring, in which requests arrive
 */
public record ServerParts(
        EngineContext context,
        ServerResponses responses,
        LoadShedding shedding,
        Streams streams,
        CancellationWatch cancellations,
        ReceiveRingLedger ring) {}
