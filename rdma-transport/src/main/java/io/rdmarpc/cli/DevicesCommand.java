package io.rdmarpc.cli;

import io.rdmarpc.cli.RdmaCommand.UsageException;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.RdmaException;
import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Prints the devices of all providers.
 *
 * @param providers the providers
 * @param out receives the devices
 * @param err receives the problems of providers and devices that cannot be used
 */
record DevicesCommand(List<VerbsProvider> providers, PrintStream out, PrintStream err) {

    /**
     * The options of the command.
     *
     * @param verbose whether to print all attributes
     * @param namesOnly whether to print only names
     * @param device the name of one device, or an empty text for all
     */
    record Options(boolean verbose, boolean namesOnly, String device) {

        static Options parse(List<String> arguments) throws UsageException {
            boolean verbose = false;
            boolean namesOnly = false;
            String device = "";
            for (Iterator<String> left = arguments.iterator(); left.hasNext(); ) {
                switch (left.next()) {
                    case "-v", "--verbose" -> verbose = true;
                    case "-l", "--list" -> namesOnly = true;
                    case "-d", "--device" -> device = value(left);
                    case String other -> throw new UsageException("the command devices has no option " + other);
                }
            }
            return new Options(verbose, namesOnly, device);
        }

        private static String value(Iterator<String> left) throws UsageException {
            if (!left.hasNext()) {
                throw new UsageException("option -d requires the name of a device");
            }
            return left.next();
        }

        boolean wants(String name) {
            return device.isEmpty() || device.equals(name);
        }
    }

    int run(Options options) {
        int printed = 0;
        for (VerbsProvider provider : providers) {
            for (RdmaDevice device : devices(provider)) {
                if (options.wants(device.name()) && print(device, options)) {
                    printed++;
                }
            }
        }
        if (printed == 0) {
            err.println(options.device().isEmpty() ? "no RDMA device found" : "no RDMA device " + options.device());
        }
        return printed > 0 ? RdmaCommand.SUCCESS : RdmaCommand.FAILURE;
    }

    private List<RdmaDevice> devices(VerbsProvider provider) {
        try {
            return provider.devices(Map.of());
        } catch (RdmaException e) {
            err.println(provider.name() + ": " + e.getMessage());
            return List.of();
        }
    }

    private boolean print(RdmaDevice device, Options options) {
        if (options.namesOnly()) {
            out.println(device.name());
            return true;
        }
        try (RdmaContext context = device.open()) {
            out.println(new DeviceText(device, context, options.verbose()).text());
            return true;
        } catch (RdmaException e) {
            err.println(device.name() + ": " + e.getMessage());
            return false;
        }
    }
}
