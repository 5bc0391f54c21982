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
 * What the control channel works with.
 *
 * @param nic the NIC
 * @param ud the engine's datagrams
 * @param rc the engine's READs
 * @param loop the engine
 * @param methods what is served
 * @param config time-outs and limits
 * @param memory what may be registered
 * @param blocking runs verbs that block, one after the other
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
