package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.packet.ReceiveRingLedger;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.stream.Streams;

/**
 * The engine's components that its client sessions use.
 *
 * @param slab memory for packets
 * @param transmitter sends packets and frees their memory
 * @param credits entries of the receive ring
 * @param ring the receive ring, in which responses arrive
 * @param streams the engine's operations on streams
 * @param calls the engine's operations on calls
 * @param waiter waits on callers' threads for the end of a call
 */
public record ClientParts(
        SlabPool slab,
        Transmitter transmitter,
        CreditPool credits,
        ReceiveRingLedger ring,
        Streams streams,
        ClientCalls calls,
        CallWaiter waiter) {}
