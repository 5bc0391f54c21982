package io.rdmarpc.cli;

import io.rdmarpc.verbs.VerbsProvider;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the host for problems that prevent RDMA from working.
 *
 * @param providers the providers to check
 * @param host the host
 * @param out receives the findings
 */
record DoctorCommand(List<VerbsProvider> providers, HostFiles host, PrintStream out) {

    int run() {
        print(new KernelCheck(host).run());
        print(new LimitsCheck(host).run());
        print(List.of(new SoftPortCheck(host, SoftPortCheck.ROCE_PORT).run()));
        List<String> usable = new ArrayList<>();
        for (VerbsProvider provider : providers) {
            ProviderCheck check = new ProviderCheck(provider, host);
            print(check.run());
            if (check.isUsable()) {
                usable.add(provider.name());
            }
        }
        out.println(usable.isEmpty() ? "no provider is usable" : "usable: " + String.join(", ", usable));
        return usable.isEmpty() ? RdmaCommand.FAILURE : RdmaCommand.SUCCESS;
    }

    private void print(List<Finding> findings) {
        findings.forEach(finding -> out.println(finding.lines()));
    }
}
