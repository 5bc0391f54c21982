package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Selects a provider and opens a device: the first active RDMA port, otherwise the software RNIC. */
public final class VerbsProviders {

    /** Selects automatically among the available providers or devices. */
    public static final String AUTO = "auto";

    private VerbsProviders() {}

    /**
     * An open device and the reason for its selection.
     *
     * @param provider the provider's name
     * @param context the open device, which the caller closes
     * @param reason one sentence: the selected device, and why others were skipped
     */
    public record Selection(String provider, RdmaContext context, String reason) {}

    /**
     * Opens a device.
     *
     * @param provider a provider's name or {@link #AUTO}
     * @param device a device's name or {@link #AUTO}
     * @param port the port that must be active, from 1
     * @param options provider options by name
     * @return the open device
     * @throws RdmaConfigurationException if the provider, device or port does not exist, or the port is not active
     * @throws RdmaVerbsException if the provider selected by name does not work on this host
     */
    public static Selection open(String provider, String device, int port, Map<String, String> options) {
        List<VerbsProvider> candidates = candidates(provider);
        boolean isOnly = candidates.size() == 1;
        List<String> reasons = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (VerbsProvider candidate : candidates) {
            try {
                for (RdmaDevice found : candidate.devices(options)) {
                    names.add(found.name());
                    if (device.equals(AUTO) || device.equals(found.name())) {
                        RdmaContext context = openActive(found, port, reasons, isOnly && !device.equals(AUTO));
                        if (context != null) {
                            return new Selection(candidate.name(), context, reason(candidate, found, reasons));
                        }
                    }
                }
            } catch (RdmaVerbsException e) {
                if (isOnly) {
                    throw e;
                }
                reasons.add(candidate.hasKernelDevices() ? e.getMessage() : "this host has no RDMA device");
            }
        }
        throw nothingFound(device, port, names, reasons);
    }

    private static List<VerbsProvider> candidates(String name) {
        List<VerbsProvider> all = ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(VerbsProvider::order))
                .toList();
        List<VerbsProvider> chosen = all.stream()
                .filter(p -> name.equals(AUTO) || p.name().equals(name))
                .toList();
        if (chosen.isEmpty()) {
            throw new RdmaConfigurationException(
                    "provider",
                    name,
                    "no provider has this name",
                    "Use auto or one of "
                            + all.stream().map(VerbsProvider::name).collect(Collectors.joining(", ")));
        }
        return chosen;
    }

    /**
     * Opens a device if its port is active; otherwise adds the reason to the list and returns null. If the device
     * cannot be opened and must work, throws instead.
     */
    private static @Nullable RdmaContext openActive(
            RdmaDevice device, int port, List<String> reasons, boolean mustWork) {
        RdmaContext context = null;
        boolean usable = false;
        try {
            context = device.open();
            String problem = problem(context, port);
            usable = problem.isEmpty();
            if (!usable) {
                reasons.add(problem);
            }
        } catch (RdmaVerbsException e) {
            if (mustWork) {
                throw e;
            }
            reasons.add(e.getMessage());
        } finally {
            if (context != null && !usable) {
                context.close();
            }
        }
        return usable ? context : null;
    }

    private static String problem(RdmaContext context, int port) {
        int ports = context.attributes().physicalPortCount();
        if (port > ports) {
            return context.deviceName() + " has " + ports + " port(s), not " + port;
        }
        PortAttributes attributes = context.queryPort(port);
        return attributes.isActive()
                ? ""
                : "port " + port + " of " + context.deviceName() + " is " + attributes.state() + ", not ACTIVE";
    }

    private static String reason(VerbsProvider provider, RdmaDevice device, List<String> reasons) {
        String skipped = reasons.isEmpty() ? "" : " (" + String.join("; ", reasons) + ")";
        return device.name() + " of provider " + provider.name() + skipped;
    }

    private static RdmaConfigurationException nothingFound(
            String device, int port, List<String> names, List<String> reasons) {
        String found = names.isEmpty() ? "there is no RDMA device" : "devices here: " + String.join(", ", names);
        String skipped = reasons.isEmpty() ? "" : " (" + String.join("; ", reasons) + ")";
        boolean portProblem = names.contains(device) && port > 1;
        return new RdmaConfigurationException(
                portProblem ? "device.port" : "device.name",
                portProblem ? port : device,
                (device.equals(AUTO) ? "no device has an active port " + port : "it cannot be used") + "; " + found
                        + skipped,
                "Set it to one of the devices, or use rdma.device.name=auto");
    }
}
