package io.rdmarpc.benchmarks;

import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options that select a device. They have the names of the C tools' options. */
public final class DeviceOptions {

    private static final int CHOOSE = -1;
    private static final String SOFT = "soft";

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<device>",
            description = "device (default: the first with an active port)")
    private String device = VerbsProviders.AUTO;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            description = "port number, from 1 (default ${DEFAULT-VALUE})")
    private int port = 1;

    @Option(
            names = {"-g", "-x", "--gid-idx"},
            paramLabel = "<index>",
            description = "index into the port's GID table (default: the first RoCE v2 entry with IPv4)")
    private int gidIndex = CHOOSE;

    @Option(names = "--provider", description = "ibverbs or soft (default ${DEFAULT-VALUE})")
    private String provider = "ibverbs";

    @Option(
            names = {"-O", "--option"},
            paramLabel = "<name>=<value>",
            description = "provider option, such as soft.addresses=127.0.0.1")
    private Map<String, String> options = new LinkedHashMap<>();

    /**
     * Opens the device and selects its port.
     *
     * @return the port, which the caller closes
     */
    public OpenPort open() {
        // The measuring thread polls all the time, so a progress thread would only compete with it.
        options.putIfAbsent("soft.progress", "owner");
        VerbsProviders.Selection selection = VerbsProviders.open(provider, device, port, options);
        RdmaContext context = selection.context();
        try {
            return new OpenPort(
                    context,
                    port,
                    gid(context.gidTable(port)),
                    selection.provider().equals(SOFT));
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    /**
     * Returns the same selection for a runtime of the engine, which opens the device itself.
     *
     * @return the NIC configuration
     */
    public NicConfig nic() {
        int gid = gidIndex == CHOOSE ? NicConfig.AUTO_GID : gidIndex;
        return new NicConfig(provider, device, port, gid, NicConfig.AUTO_MTU, options);
    }

    private GidEntry gid(List<GidEntry> table) {
        return table.stream()
                .filter(entry -> gidIndex == CHOOSE ? isRoceV2OverIpv4(entry) : entry.index() == gidIndex)
                .findFirst()
                .orElseGet(() -> first(table));
    }

    private static boolean isRoceV2OverIpv4(GidEntry entry) {
        return entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped();
    }

    private GidEntry first(List<GidEntry> table) {
        if (gidIndex != CHOOSE || table.isEmpty()) {
            throw new RdmaConfigurationException(
                    "--gid-idx",
                    gidIndex,
                    "port " + port + " has no such GID entry; its entries are "
                            + table.stream().map(GidEntry::index).toList(),
                    "Use one of these indexes, or omit --gid-idx");
        }
        return table.getFirst();
    }
}
