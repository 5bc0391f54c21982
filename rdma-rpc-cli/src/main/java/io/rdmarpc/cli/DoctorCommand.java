package io.rdmarpc.cli;

import io.rdmarpc.verbs.VerbsProvider;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks the host for problems that prevent RDMA from working.
 *
 * @param providers the providers to check
 * @param host the host
 * @param out receives the findings
 */
record DoctorCommand(List<VerbsProvider> providers, HostFiles host, PrintStream out) {

    /** Prints each finding as soon as it is known, and then the usable providers. */
    int run() {
        List<String> usable = check(finding -> out.println(finding.lines()));
        out.println(usable.isEmpty() ? "no provider is usable" : "usable: " + String.join(", ", usable));
        return status(usable);
    }

    /** Prints all findings as one JSON object. */
    int runAsJson() {
        List<Finding> findings = new ArrayList<>();
        List<String> usable = check(findings::add);
        out.println(new JsonObject()
                .put("version", RdmaCommand.JSON_VERSION)
                .put("usable", usable)
                .put("findings", findings.stream().map(Finding::json).toList())
                .text());
        return status(usable);
    }

    private static int status(List<String> usable) {
        return usable.isEmpty() ? RdmaCommand.FAILURE : RdmaCommand.SUCCESS;
    }

    /** Runs all checks, and returns the names of the usable providers. */
    private List<String> check(Consumer<Finding> found) {
        new KernelCheck(host).run().forEach(found);
        new LimitsCheck(host).run().forEach(found);
        found.accept(new SoftPortCheck(host, SoftPortCheck.ROCE_PORT).run());
        List<String> usable = new ArrayList<>();
        for (VerbsProvider provider : providers) {
            ProviderCheck check = new ProviderCheck(provider, host);
            check.run().forEach(found);
            if (check.isUsable()) {
                usable.add(provider.name());
            }
        }
        return usable;
    }
}
