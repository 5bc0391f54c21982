package io.rdmarpc.autoconfigure;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemotePeer;
import io.rdmarpc.service.memory.MemoryTargets;
import io.rdmarpc.verbs.RdmaConfigurationException;
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
    private final RdmaClientProperties properties;
    private final RdmaConnectionDetails details;
    private final Map<String, RemotePeer> peers = new ConcurrentHashMap<>();

    TargetMemory(RemoteMemory memory, RdmaClientProperties properties, RdmaConnectionDetails details) {
        this.memory = memory;
        this.properties = properties;
        this.details = details;
    }

    @Override
    public RemotePeer of(String target) {
        return peers.computeIfAbsent(target, name -> memory.peer(name, addresses(name)));
    }

    private List<InetSocketAddress> addresses(String target) {
        String text = text(target);
        TargetAddress.requireNoRegistry(target, text);
        return TargetAddress.parseAll(target, text);
    }

    private String text(String target) {
        String told = details.getAddress(target);
        if (told != null) {
            return told;
        }
        RdmaClientProperties.Target settings = properties.targets().get(target);
        if (settings != null) {
            return TargetAddress.given(target, settings);
        }
        if (target.equals(RdmaClients.DEFAULT_TARGET)) {
            return "localhost";
        }
        throw new RdmaConfigurationException(
                "client.targets." + target + ".address",
                "",
                "memory of target '" + target + "' is wanted, but only "
                        + properties.targets().keySet() + " are set",
                "Set it to the host:port of the process that has the memory");
    }
}
