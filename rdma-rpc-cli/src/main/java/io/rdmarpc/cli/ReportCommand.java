package io.rdmarpc.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdmarpc.verbs.VerbsProvider;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/**
 * Writes a report about RDMA on this host, which the user can send to others. The report contains versions, findings of
 * the doctor, all attributes of the devices, and a trial of each device. Addresses, GUIDs and names are replaced. The
 * report reads no environment variables and no user files.
 *
 * @param providers the providers
 * @param host the host
 * @param out receives the report
 */
record ReportCommand(List<VerbsProvider> providers, HostFiles host, PrintStream out) {

    private static final String HEAD = """
            # rdma-rpc: report about the RDMA of a host

            Addresses, GUIDs and the names of host and user are replaced; equal values have equal labels. Review the
            report before you send it.
            """;

    int run() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int status = write(new PrintStream(bytes, true, UTF_8));
        out.print(redaction().apply(bytes.toString(UTF_8)));
        out.flush();
        return status;
    }

    /** Runs the doctor first, because that loads the libraries. */
    private int write(PrintStream report) {
        ByteArrayOutputStream findings = new ByteArrayOutputStream();
        int status = new DoctorCommand(providers, host, new PrintStream(findings, true, UTF_8)).run();
        report.println(HEAD);
        section(report, "Host", new HostText(host).text());
        section(report, "Doctor", findings.toString(UTF_8));
        ByteArrayOutputStream devices = new ByteArrayOutputStream();
        PrintStream lines = new PrintStream(devices, true, UTF_8);
        new DevicesCommand(providers, lines, lines).run(new DevicesCommand.Options(DevicesCommand.Form.FULL, ""));
        section(report, "Devices", devices.toString(UTF_8));
        section(report, "Trial", new TrialText(providers).text());
        return status;
    }

    private static void section(PrintStream report, String title, String text) {
        report.println("## " + title);
        report.println();
        report.println("```");
        report.println(text.stripTrailing());
        report.println("```");
        report.println();
    }

    private Redaction redaction() {
        String name =
                host.lines("proc/sys/kernel/hostname").stream().findFirst().orElse("");
        return new Redaction(List.of(
                new Redaction.Name("host", name),
                new Redaction.Name("host", name.replaceAll("\\..*", "")),
                new Redaction.Name("user", System.getProperty("user.name", ""))));
    }
}
