package io.rdmarpc.service.contract.check;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * The process that the Maven plugin starts with the class path of an application. Its arguments are a file of properties, and
 * the file that it writes its report to, because libraries may print to both standard streams. The properties are
 * {@code goal} ({@code check} or {@code approve}), {@code directory}, {@code classes}, {@code services} (comma-separated,
 * empty for all in {@code classes}), {@code order}, {@code format} and {@code evolution}.
 */
final class ContractCommand {

    // The JVM itself ends with 1 if it cannot start this class.

    /** The changes need no approval, or were approved. */
    static final int ACCEPTED = 0;
    /** A change needs an approval. */
    static final int REJECTED = 10;
    /** The command failed before it could compare. */
    static final int FAILED = 11;

    private final Properties settings;
    private final ClassLoader loader;
    private final PrintStream out;

    private ContractCommand(Properties settings, ClassLoader loader, PrintStream out) {
        this.settings = settings;
        this.loader = loader;
        this.out = out;
    }

    /**
     * Runs the command and ends the process.
     *
     * @param args the file of properties, and the file of the report
     * @throws IOException if the first file cannot be read, or the second one not written
     */
    public static void main(String[] args) throws IOException {
        int status;
        try (PrintStream report =
                new PrintStream(Files.newOutputStream(Path.of(args[1])), false, StandardCharsets.UTF_8)) {
            status = run(Path.of(args[0]), ContractCommand.class.getClassLoader(), report);
        }
        System.exit(status);
    }

    static int run(Path file, ClassLoader loader, PrintStream out) throws IOException {
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            settings.load(reader);
        }
        try {
            return new ContractCommand(settings, loader, out).run();
        } catch (RdmaContractFileException | RdmaInvalidServiceException e) {
            out.println(e.getMessage());
            return FAILED;
        }
    }

    private int run() {
        Collection<ServiceContract> contracts = contracts();
        ContractCheck check =
                ContractCheck.in(Path.of(setting("directory"))).upgradeOrder(choice("order", UpgradeOrder.class));
        ContractReport report = check.compare(contracts);
        if (report.changes().isEmpty()) {
            out.println(
                    "There is no service in " + setting("classes") + ", and no contract in " + setting("directory"));
            return ACCEPTED;
        }
        if (setting("goal").equals("approve")) {
            check.approve(contracts);
            report.changes().stream().map(ContractReport::summary).forEach(out::println);
            out.println("Stored " + contracts.size() + (contracts.size() == 1 ? " contract" : " contracts") + " in "
                    + setting("directory"));
            return ACCEPTED;
        }
        report.lines().forEach(out::println);
        return report.isAccepted() ? ACCEPTED : REJECTED;
    }

    private Collection<ServiceContract> contracts() {
        ServiceCodecFactory codecs = new ServiceCodecFactory(serializer(), SerializationSettings.DEFAULTS.maxBytes());
        List<ServiceContract> contracts = new ArrayList<>();
        for (String name : services()) {
            contracts.add(codecs.codecOf(ServiceDescription.of(load(name))).contract());
        }
        return contracts;
    }

    private List<String> services() {
        String names = setting("services");
        return names.isEmpty()
                ? ServiceScan.servicesIn(Path.of(setting("classes")), loader)
                : Arrays.stream(names.split(",")).map(String::strip).toList();
    }

    private Class<?> load(String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new RdmaContractFileException(
                    "the service " + name + " cannot be loaded (" + e
                            + "): check its name, and that the module depends on all classes of its signatures",
                    e);
        }
    }

    private RdmaSerializer serializer() {
        SerializationSettings limits =
                SerializationSettings.DEFAULTS.withEvolution(choice("evolution", Evolution.class));
        return switch (setting("format")) {
            case "kryo" -> new KryoRdmaSerializer(loader, List.of(), limits);
            case "json" -> json(limits);
            default ->
                throw new RdmaContractFileException(
                        "the format " + setting("format") + " is unknown: set kryo or json", null);
        };
    }

    private RdmaSerializer json(SerializationSettings limits) {
        if (!ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper", loader)) {
            throw new RdmaContractFileException(
                    "the format json needs Jackson 3, which is not on the class path of this module: add"
                            + " spring-boot-starter-jackson, or set the format kryo",
                    null);
        }
        return new JsonRdmaSerializer(JsonMapper.builder().build(), limits);
    }

    private <E extends Enum<E>> E choice(String name, Class<E> type) {
        String value = setting(name);
        try {
            return Enum.valueOf(type, value.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw new RdmaContractFileException(
                    "the " + name + " " + value + " is unknown: set one of "
                            + Arrays.toString(type.getEnumConstants())
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'),
                    e);
        }
    }

    private String setting(String name) {
        String value = settings.getProperty(name);
        if (value == null) {
            throw new RdmaContractFileException(
                    "the setting " + name
                            + " is missing: use the same version of rdma-rpc-maven-plugin and of rdma-rpc",
                    null);
        }
        return value;
    }
}
