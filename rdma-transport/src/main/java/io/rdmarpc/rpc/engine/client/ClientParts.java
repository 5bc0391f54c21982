package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.stream.Streams;

/**
 * What the client sessions of an engine work with.
 *
 * @param slab memory for packets
 * @param transmitter sends packets, and has their memory
 * @param credits entries of the receive ring
 * @param ring where responses arrive
 * @param streams what the engine does with streams
 * @param calls what the engine does with calls
 * @param waiter how threads wait for the end of a call
 */
public record ClientParts(
        SlabPool slab,
        Transmitter transmitter,
        CreditPool credits,
        ReceiveRingLedger ring,
        Streams streams,
        ClientCalls calls,
        CallWaiter waiter) {}
