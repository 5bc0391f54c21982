package io.rdmarpc.demo.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Settings of the comparison, from its command line.
 *
 * @param seconds measured seconds of each transport
 * @param callers number of concurrent callers of the part with several callers
 * @param warmUp longest warm-up of each transport
 * @param passedOn Spring properties of all processes
 */
record ComparisonSettings(int seconds, int callers, Duration warmUp, List<String> passedOn) {

    private static final String SECONDS = "--demo.seconds=";
    private static final String CALLERS = "--demo.callers=";
    private static final String WARM_UP = "--demo.warm-up-seconds=";

    private static final String JAR_LAUNCHER = "org/springframework/boot/loader/launch/JarLauncher.class";

    static ComparisonSettings of(List<String> arguments) {
        int seconds = 12;
        int callers = 16;
        Duration warmUp = Duration.ofSeconds(60);
        List<String> passedOn = new ArrayList<>();
        for (String argument : arguments) {
            if (argument.startsWith(SECONDS)) {
                seconds = number(argument, SECONDS);
            } else if (argument.startsWith(WARM_UP)) {
                warmUp = Duration.ofSeconds(number(argument, WARM_UP));
            } else if (argument.startsWith(CALLERS)) {
                callers = number(argument, CALLERS);
            } else {
                passedOn.add(argument);
            }
        }
        return new ComparisonSettings(seconds, callers, warmUp, List.copyOf(passedOn));
    }

    private static int number(String argument, String name) {
        try {
            return Integer.parseInt(argument.substring(name.length()));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(argument + " needs a whole number", e);
        }
    }

    /** Returns the command of a process of this application, in the JVM and with the classes of this process. */
    List<String> command(List<String> arguments) {
        String classPath = System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                // Six processes must fit into the memory of a laptop.
                "-Xmx512m"));
        if (ClassLoader.getSystemResource(JAR_LAUNCHER) == null) {
            command.addAll(List.of("-cp", classPath, "io.rdmarpc.demo.DemoApplication"));
        } else {
            command.addAll(List.of("-jar", Objects.requireNonNull(classPath)));
        }
        command.addAll(passedOn);
        command.add("--demo.callers=" + callers);
        command.add("--logging.level.root=WARN");
        command.addAll(arguments);
        return command;
    }
}
