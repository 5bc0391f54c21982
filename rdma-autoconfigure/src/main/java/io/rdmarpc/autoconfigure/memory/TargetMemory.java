package io.rdmarpc.autoconfigure.memory;

import io.rdmarpc.autoconfigure.client.TargetChannels;
import io.rdmarpc.autoconfigure.client.TargetSettings;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemotePeer;
import io.rdmarpc.service.memory.MemoryTargets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connections to the memory of targets, by the names that clients use. Memory belongs to one process. If a target has
 * several addresses or registry instances, this is the memory of the first one that responds. It remains so while
 * that process is reachable.
 */
final class TargetMemory implements MemoryTargets {

    private final RemoteMemory memory;
    private final TargetSettings settings;
    private final TargetChannels channels;
    private final Map<String, RemotePeer> peers = new ConcurrentHashMap<>();

    TargetMemory(RemoteMemory memory, TargetSettings settings, TargetChannels channels) {
        this.memory = memory;
        this.settings = settings;
        this.channels = channels;
    }

    @Override
    public RemotePeer of(String target) {
        return peers.computeIfAbsent(
                target, name -> memory.peer(name, channels.open(name, settings.of(name, "memory"))));
    }
}
