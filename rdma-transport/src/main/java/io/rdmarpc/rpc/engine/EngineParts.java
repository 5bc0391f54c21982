package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;

/**
 * What an engine works with; all of it outlives the engine and is closed by whoever opened it.
 *
 * @param ud its datagrams
 * @param rc its READs
 * @param slab memory for packets
 * @param arena memory for large messages that it fetches
 * @param methods what it serves
 */
public record EngineParts(UdTransport ud, RcTransport rc, SlabPool slab, BuddyArena arena, MethodTable methods) {}
