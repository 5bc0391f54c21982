package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.engine.EventLoop;
import io.rdmarpc.rpc.engine.server.MethodTable;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import java.util.concurrent.Executor;

/**
 * The parts of an engine that the control connections use.
 *
 * @param nic the NIC
 * @param ud the engine's datagram transport
 * @param rc the engine's READ transport
 * @param loop the engine's event loop
 * @param methods the served methods
 * @param config timeouts and limits
 * @param memory the budget of registered memory
 * @param blocking runs blocking verbs one after the other
 */
public record ControlParts(
        NicContext nic,
        UdTransport ud,
        RcTransport rc,
        EventLoop loop,
        MethodTable methods,
        RpcConfig config,
        MemoryBudget memory,
        Executor blocking) {}
