package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.Commands;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program behind {@code benchmarks/run}. */
@Command(name = "benchmarks/run", description = "measures and generates reports", mixinStandardHelpOptions = true)
final class Harness {

    private Harness() {}

    /** Runs the command that the first argument names. */
    public static void main(String... arguments) {
        System.exit(Commands.run(commands(), arguments));
    }

    static CommandLine commands() {
        return new CommandLine(new Harness())
                .addSubcommand("verbs", new ProgramsCommand())
                .addSubcommand("engine", new ProgramsCommand())
                .addSubcommand("memory", new ProgramsCommand())
                .addSubcommand("sessions", new SessionsCommand())
                .addSubcommand("scale", new ScaleCommand())
                .addSubcommand("defaults", new CallsCommand("defaults.csv", 3, 3, 40))
                .addSubcommand("tuning", new CallsCommand("settings.csv", 3, 3, 20))
                .addSubcommand("quick", new CallsCommand("goals.csv", 2, 1, 3.5).only("P1|P3|P5|P10|P15"))
                .addSubcommand("full", new CallsCommand("goals.csv", 5, 2, 40).matrix(2))
                .addSubcommand("profile", new ProfileCommand())
                .addSubcommand("turns", new TurnsCommand())
                .addSubcommand("first-call", new FirstCallCommand())
                .addSubcommand("report", new Report());
    }
}
