package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;

/**
 * The components of an engine. They outlive the engine, and the code that opened them closes them.
 *
 * @param ud sends and receives datagrams
 * @param rc executes READs
 * @param slab memory for packets
 * @param arena memory for large messages that it READs
 * @param methods the methods that it serves
 */
public record EngineParts(UdTransport ud, RcTransport rc, SlabPool slab, BuddyArena arena, MethodTable methods) {}
