package io.rdmarpc.cli;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks whether a provider is usable: opens each of its devices, registers memory, and checks the ports. */
final class ProviderCheck {

    private static final int PAGE_BYTES = 4096;

    private final VerbsProvider provider;
    private final HostFiles host;
    private final List<Finding> findings = new ArrayList<>();
    private boolean usable;

    ProviderCheck(VerbsProvider provider, HostFiles host) {
        this.provider = provider;
        this.host = host;
    }

    List<Finding> run() {
        try {
            List<RdmaDevice> devices = provider.devices(Map.of());
            findUnknown(devices);
            devices.forEach(this::check);
        } catch (RdmaException e) {
            findings.add(Finding.fail(provider.name(), String.valueOf(e.getMessage()), ""));
        }
        return List.copyOf(findings);
    }

    /** Returns whether at least one device and one of its ports work. */
    boolean isUsable() {
        return usable;
    }

    /** Finds kernel devices that the library does not list: user space has no driver for them. */
    private void findUnknown(List<RdmaDevice> devices) {
        List<String> known = devices.stream().map(RdmaDevice::name).toList();
        List<String> unknown = host.names(KernelCheck.DEVICES).stream()
                .filter(name -> !known.contains(name))
                .toList();
        if (host.exists(KernelCheck.DEVICES) && !unknown.isEmpty() && isForKernelDevices(known)) {
            findings.add(Finding.fail(
                    provider.name(),
                    "the kernel has " + String.join(", ", unknown) + ", but libibverbs has no driver for it",
                    "apt install ibverbs-providers"));
        }
    }

    private boolean isForKernelDevices(List<String> known) {
        return known.stream().anyMatch(host.names(KernelCheck.DEVICES)::contains);
    }

    private void check(RdmaDevice device) {
        try (RdmaContext context = device.open()) {
            useMemory(context);
            findings.add(Finding.ok(provider.name(), device.name() + " opens and registers memory"));
            for (int port = 1; port <= context.attributes().physicalPortCount(); port++) {
                check(context, port);
            }
        } catch (RdmaException e) {
            findings.add(Finding.fail(provider.name(), String.valueOf(e.getMessage()), ""));
        }
    }

    private static void useMemory(RdmaContext context) {
        try (Arena arena = Arena.ofShared();
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(1);
                MemoryRegion region =
                        domain.registerMemory(arena.allocate(PAGE_BYTES, PAGE_BYTES), Set.of(AccessFlag.LOCAL_WRITE))) {
            if (queue.capacity() < 1 || region.byteSize() != PAGE_BYTES) {
                throw new RdmaException(context.deviceName() + " created smaller objects than requested");
            }
        }
    }

    private void check(RdmaContext context, int number) {
        PortAttributes port = context.queryPort(number);
        List<Finding> ofPort = new PortCheck(host, context.deviceName(), number, port, context.gidTable(number)).run();
        findings.addAll(ofPort);
        usable |= ofPort.stream().noneMatch(Finding::isFailure);
    }
}
