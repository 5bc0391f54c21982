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

/** Which device to use. The options have the names that the C tools give them. */
public final class DeviceOptions {

    private static final int CHOOSE = -1;
    private static final String SOFT = "soft";

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<device>",
            description = "device; default: the first with an active port")
    private String device = VerbsProviders.AUTO;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            description = "port of the device, from 1 (default ${DEFAULT-VALUE})")
    private int port = 1;

    @Option(
            names = {"-g", "-x", "--gid-idx"},
            paramLabel = "<index>",
            description = "entry of the port's GID table; default: the first of RoCE v2 over IPv4")
    private int gidIndex = CHOOSE;

    @Option(names = "--provider", description = "ibverbs or soft (default ${DEFAULT-VALUE})")
    private String provider = "ibverbs";

    @Option(
            names = {"-O", "--option"},
            paramLabel = "<name>=<value>",
            description = "option of the provider, such as soft.addresses=127.0.0.1")
    private Map<String, String> options = new LinkedHashMap<>();

    /**
     * Opens the device.
     *
     * @return the port, to be closed by the caller
     */
    public OpenPort open() {
        // Who measures polls all the time; a thread that does so too would only be in the way.
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
     * Returns the same for a runtime of the engine, which opens the device itself.
     *
     * @return what it needs
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
                    "port " + port + " has the entries "
                            + table.stream().map(GidEntry::index).toList(),
                    "Use one of them, or leave it out");
        }
        return table.getFirst();
    }
}
