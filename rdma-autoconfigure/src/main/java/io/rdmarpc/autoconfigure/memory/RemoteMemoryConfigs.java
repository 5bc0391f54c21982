package io.rdmarpc.autoconfigure.memory;

import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.autoconfigure.properties.RdmaRemoteMemoryProperties;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.transport.NicConfig;
import java.util.HashMap;
import java.util.Map;

/** The settings of remote memory: the engine's device, and limits of its own. */
final class RemoteMemoryConfigs {

    private RemoteMemoryConfigs() {}

    static RemoteMemoryConfig of(NicConfig nic, RdmaRemoteMemoryProperties properties) {
        RdmaNodeConfig device = RdmaNodeConfig.DEFAULTS
                .withProvider(nic.provider(), options(nic, properties))
                .withDevice(nic.device(), nic.port(), nic.gidIndex());
        return new RemoteMemoryConfig(device, limits(properties.lending()), properties.responseTimeout());
    }

    /** What the engine's software RNIC has for itself, the second one cannot have too. */
    private static Map<String, String> options(NicConfig nic, RdmaRemoteMemoryProperties properties) {
        Map<String, String> options = new HashMap<>(nic.options());
        options.remove("soft.pcap");
        options.put("soft.port", Integer.toString(properties.softPort()));
        return options;
    }

    private static LendingLimits limits(RdmaRemoteMemoryProperties.Lending lending) {
        return new LendingLimits(
                lending.maxSize().toBytes(),
                lending.maxSizePerPeer().toBytes(),
                lending.maxRegionsPerPeer(),
                lending.maxLinksPerPeer(),
                lending.rights(),
                lending.maxLease(),
                lending.gracePeriod());
    }
}
