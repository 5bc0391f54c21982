package io.rdmarpc.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** The main class of the executable jar and of the script {@code rdma-rpc}: commands {@code devices} and {@code doctor}. */
public final class RdmaCommand {

    static final int SUCCESS = 0;
    static final int FAILURE = 1;
    static final int WRONG_USAGE = 2;

    /** Version of the JSON that the commands print. */
    static final int JSON_VERSION = 1;

    private static final String USAGE = """
            usage: rdma-rpc devices [-v | -l | --json] [-d NAME]
                   rdma-rpc doctor [--report | --json]

              devices       prints the RDMA devices of libibverbs and the software RNIC, in the format of ibv_devinfo
                -v          all attributes: limits, capabilities, ports
                -l          only the names
                --json      all attributes as JSON, with the names of ibv_devinfo
                -d NAME     only the device NAME
              doctor        finds problems that prevent RDMA from working on this host, and prints remedies;
                            exit status 0 if at least one provider is usable, 1 otherwise
                --report    prints a Markdown report about RDMA on this host, without addresses and names, to be sent
                            to others, for example with results of a NIC
                --json      prints the findings as JSON

            JSON has a member "version". It changes when a member is removed or gets another meaning, but not
            when a member is added.
            """;

    private final PrintStream out;
    private final PrintStream err;
    private final Path root;

    RdmaCommand(PrintStream out, PrintStream err, Path root) {
        this.out = out;
        this.err = err;
        this.root = root;
    }

    /**
     * Runs a command and ends the JVM with its exit status.
     *
     * @param arguments the command and its options
     */
    public static void main(String[] arguments) {
        System.exit(new RdmaCommand(System.out, System.err, Path.of("/")).run(List.of(arguments)));
    }

    int run(List<String> arguments) {
        List<String> options = arguments.stream().skip(1).toList();
        try {
            return switch (arguments.isEmpty() ? "" : arguments.getFirst()) {
                case "devices" ->
                    new DevicesCommand(Providers.all(), out, err).run(DevicesCommand.Options.parse(options));
                case "doctor" -> doctor(options);
                case "help", "-h", "--help" -> help();
                case "" -> throw new UsageException("a command is missing");
                default -> throw new UsageException("unknown command " + arguments.getFirst());
            };
        } catch (UsageException e) {
            err.println("rdma-rpc: " + e.getMessage());
            err.print(USAGE);
            return WRONG_USAGE;
        }
    }

    private int doctor(List<String> options) throws UsageException {
        HostFiles host = new HostFiles(root);
        if (options.isEmpty()) {
            return new DoctorCommand(Providers.all(), host, out).run();
        }
        if (options.equals(List.of("--json"))) {
            return new DoctorCommand(Providers.all(), host, out).runAsJson();
        }
        if (options.equals(List.of("--report"))) {
            return new ReportCommand(Providers.all(), host, out).run();
        }
        throw new UsageException("the command doctor has no option " + String.join(" ", options));
    }

    private int help() {
        out.print(USAGE);
        return SUCCESS;
    }

    /** Thrown for invalid arguments. */
    static final class UsageException extends Exception {

        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }
}
