package io.rdmarpc.cli;

import io.rdmarpc.cli.RdmaCommand.UsageException;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.RdmaException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Prints the devices of all providers.
 *
 * @param providers the providers
 * @param out receives the devices
 * @param err receives the problems of providers and devices that cannot be used
 */
record DevicesCommand(List<VerbsProvider> providers, PrintStream out, PrintStream err) {

    /** What is printed about a device. */
    enum Form {
        /** The attributes that users need most. */
        BRIEF,
        /** All attributes. */
        FULL,
        /** The name. */
        NAME,
        /** All attributes as JSON. */
        JSON
    }

    /**
     * The options of the command.
     *
     * @param form what is printed about a device; the last of several options decides
     * @param device the name of one device, or an empty text for all
     */
    record Options(Form form, String device) {

        static Options parse(List<String> arguments) throws UsageException {
            Form form = Form.BRIEF;
            String device = "";
            for (Iterator<String> left = arguments.iterator(); left.hasNext(); ) {
                switch (left.next()) {
                    case "-v", "--verbose" -> form = Form.FULL;
                    case "-l", "--list" -> form = Form.NAME;
                    case "--json" -> form = Form.JSON;
                    case "-d", "--device" -> device = value(left);
                    case String other -> throw new UsageException("the command devices has no option " + other);
                }
            }
            return new Options(form, device);
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
        return options.form() == Form.JSON ? runAsJson(options) : runAsText(options);
    }

    private int runAsText(Options options) {
        BiConsumer<String, String> problems = (subject, text) -> err.println(subject + ": " + text);
        int printed = 0;
        for (VerbsProvider provider : providers) {
            for (RdmaDevice device : devices(provider, options, problems)) {
                printed += print(device, options, problems);
            }
        }
        if (printed == 0) {
            err.println(options.device().isEmpty() ? "no RDMA device found" : "no RDMA device " + options.device());
        }
        return printed > 0 ? RdmaCommand.SUCCESS : RdmaCommand.FAILURE;
    }

    /** Returns the number of printed devices, 0 or 1. */
    private int print(RdmaDevice device, Options options, BiConsumer<String, String> problems) {
        if (options.form() == Form.NAME) {
            out.println(device.name());
            return 1;
        }
        List<String> texts =
                use(device, problems, context -> new DeviceText(device, context, options.form() == Form.FULL).text());
        texts.forEach(out::println);
        return texts.size();
    }

    private int runAsJson(Options options) {
        List<JsonObject> found = new ArrayList<>();
        List<JsonObject> problems = new ArrayList<>();
        BiConsumer<String, String> collector = (subject, text) ->
                problems.add(new JsonObject().put("subject", subject).put("text", text));
        for (VerbsProvider provider : providers) {
            for (RdmaDevice device : devices(provider, options, collector)) {
                found.addAll(
                        use(device, collector, context -> new DeviceJson(provider.name(), device, context).json()));
            }
        }
        out.println(new JsonObject()
                .put("version", RdmaCommand.JSON_VERSION)
                .put("devices", found)
                .put("problems", problems)
                .text());
        return found.isEmpty() ? RdmaCommand.FAILURE : RdmaCommand.SUCCESS;
    }

    private static List<RdmaDevice> devices(
            VerbsProvider provider, Options options, BiConsumer<String, String> problems) {
        try {
            return provider.devices(Map.of()).stream()
                    .filter(device -> options.wants(device.name()))
                    .toList();
        } catch (RdmaException e) {
            problems.accept(provider.name(), String.valueOf(e.getMessage()));
            return List.of();
        }
    }

    /** Opens a device. Returns the result, or nothing and reports the problem if the device cannot be used. */
    private static <R> List<R> use(
            RdmaDevice device, BiConsumer<String, String> problems, Function<RdmaContext, R> use) {
        try (RdmaContext context = device.open()) {
            return List.of(use.apply(context));
        } catch (RdmaException e) {
            problems.accept(device.name(), String.valueOf(e.getMessage()));
            return List.of();
        }
    }
}
