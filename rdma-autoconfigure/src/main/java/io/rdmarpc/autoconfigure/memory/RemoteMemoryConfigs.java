package io.rdmarpc.autoconfigure.memory;

import io.rdmarpc.async.RdmaNodeConfig;
import io.rdmarpc.autoconfigure.properties.RdmaRemoteMemoryProperties;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.transport.NicConfig;
import java.util.HashMap;
import java.util.Map;

/** Configuration of remote memory: the engine's device with separate limits. */
final class RemoteMemoryConfigs {

    private RemoteMemoryConfigs() {}

    static RemoteMemoryConfig of(NicConfig nic, RdmaRemoteMemoryProperties properties) {
        RdmaNodeConfig device = RdmaNodeConfig.DEFAULTS
                .withProvider(nic.provider(), options(nic, properties))
                .withDevice(nic.device(), nic.port(), nic.gidIndex());
        return new RemoteMemoryConfig(device, limits(properties.lending()), properties.responseTimeout());
    }

    /**
     * Returns the options of the second software RNIC, which cannot share the capture file and the UDP port of the
     * engine's.
     */
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
