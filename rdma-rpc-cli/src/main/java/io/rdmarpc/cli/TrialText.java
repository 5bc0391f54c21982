package io.rdmarpc.cli;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * Tests whether each active port does what the engine requires, and how long that takes on this host.
 *
 * @param providers the providers to test
 */
record TrialText(List<VerbsProvider> providers) {

    String text() {
        StringBuilder text = new StringBuilder();
        for (VerbsProvider provider : providers) {
            try {
                provider.devices(Map.of()).forEach(device -> tryDevice(text, provider, device));
            } catch (RdmaException e) {
                text.append(provider.name()).append(": ").append(e.getMessage()).append('\n');
            }
        }
        return text.toString();
    }

    private static void tryDevice(StringBuilder text, VerbsProvider provider, RdmaDevice device) {
        String name = provider.name() + " " + device.name();
        try (RdmaContext context = device.open()) {
            for (int port = 1; port <= context.attributes().physicalPortCount(); port++) {
                if (context.queryPort(port).isActive()) {
                    String start = name + " port " + port;
                    tryPort(text, start + ", datagrams over UD", context, port, DeviceTrial::datagrams);
                    tryPort(text, start + ", READ, WRITE, atomics over RC", context, port, DeviceTrial::connected);
                }
            }
        } catch (RdmaException e) {
            text.append(name).append(": ").append(e.getMessage()).append('\n');
        }
    }

    private static void tryPort(
            StringBuilder text, String what, RdmaContext context, int port, ToIntFunction<DeviceTrial> trial) {
        text.append(what).append(": ");
        try (DeviceTrial one = new DeviceTrial(context, port)) {
            long start = System.nanoTime();
            int rounds = trial.applyAsInt(one);
            long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
            text.append(rounds + " rounds passed, " + micros / rounds + " microseconds each\n");
        } catch (RdmaException e) {
            text.append("FAILED: ").append(e.getMessage()).append('\n');
        }
    }
}
