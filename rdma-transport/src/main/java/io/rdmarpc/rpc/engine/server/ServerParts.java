package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.stream.Streams;
import io.rdmarpc.rpc.engine.transfer.LoadShedding;

/**
 * What the calls at a server work with.
 *
 * @param context of the engine
 * @param responses where their responses go
 * @param shedding decides which calls are not taken
 * @param streams what the engine does with streams
 * @param cancellations looks after deadlines that have listeners
 * @param ring where requests arrive
 */
public record ServerParts(
        EngineContext context,
        ServerResponses responses,
        LoadShedding shedding,
        Streams streams,
        CancellationWatch cancellations,
        ReceiveRingLedger ring) {}
