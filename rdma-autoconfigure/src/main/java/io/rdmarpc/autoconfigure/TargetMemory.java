package io.rdmarpc.autoconfigure;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemotePeer;
import io.rdmarpc.service.memory.MemoryTargets;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ways to the memory of the targets that clients call, by the same names. Memory is of one process: where a target has
 * several addresses, it is that of the first which answers.
 */
final class TargetMemory implements MemoryTargets {

    private final RemoteMemory memory;
    private final TargetSettings settings;
    private final Map<String, RemotePeer> peers = new ConcurrentHashMap<>();

    TargetMemory(RemoteMemory memory, TargetSettings settings) {
        this.memory = memory;
        this.settings = settings;
    }

    @Override
    public RemotePeer of(String target) {
        return peers.computeIfAbsent(target, name -> memory.peer(name, addresses(name)));
    }

    private List<InetSocketAddress> addresses(String target) {
        String text = settings.address(target, settings.of(target, "memory"));
        TargetAddress.requireNoRegistry(target, text);
        return TargetAddress.parseAll(target, text);
    }
}
