package io.rdmarpc.service.contract.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContractCommandTest {

    @RdmaService(name = "test.Parcels")
    public interface Parcels {
        String find(String id);
    }

    /** Not a service. */
    public interface Other {
        String find(String id);
    }

    @RdmaService(name = "test.Invalid")
    public interface Invalid {
        Thread thread();
    }

    @TempDir
    Path directory;

    private final Properties settings = new Properties();
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @BeforeEach
    void setUp() throws IOException {
        settings.setProperty("goal", "check");
        settings.setProperty("directory", directory.resolve("contracts").toString());
        settings.setProperty("classes", directory.resolve("classes").toString());
        settings.setProperty("services", "");
        settings.setProperty("order", "servers-first");
        settings.setProperty("format", "kryo");
        settings.setProperty("evolution", "none");
        compile(Parcels.class);
        compile(Other.class);
        Files.write(directory.resolve("classes/module-info.class"), new byte[] {1});
    }

    /** Copies the class file, as if a build had compiled only this class. */
    private void compile(Class<?> type) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        Path file = directory.resolve("classes").resolve(name);
        Files.createDirectories(file.getParent());
        try (InputStream in = Objects.requireNonNull(type.getClassLoader().getResourceAsStream(name))) {
            Files.copy(in, file);
        }
    }

    private int run() throws IOException {
        Path file = directory.resolve("settings");
        try (Writer writer = Files.newBufferedWriter(file)) {
            settings.store(writer, null);
        }
        output.reset();
        return ContractCommand.run(
                file, getClass().getClassLoader(), new PrintStream(output, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldFindTheServicesAmongTheClasses() throws IOException {
        settings.setProperty("goal", "approve");

        assertThat(run()).as(printed()).isEqualTo(ContractCommand.ACCEPTED);
        assertThat(printed()).contains("Stored 1 contract in ");
        assertThat(directory.resolve("contracts/test.Parcels.contract")).exists();
    }

    @Test
    void whenNoContractIsStoredThenTheCheckFails() throws IOException {
        assertThat(run()).isEqualTo(ContractCommand.REJECTED);
        assertThat(printed()).startsWith("test.Parcels: no contract is stored");
    }

    @Test
    void whenTheContractIsApprovedThenTheCheckPasses() throws IOException {
        settings.setProperty("goal", "approve");
        run();
        settings.setProperty("goal", "check");

        assertThat(run()).isEqualTo(ContractCommand.ACCEPTED);
        assertThat(printed().strip()).isEqualTo("test.Parcels: unchanged");
    }

    @Test
    void whenTheEvolutionChangesThenTheContractDoes() throws IOException {
        settings.setProperty("goal", "approve");
        run();
        settings.setProperty("goal", "check");
        settings.setProperty("evolution", "compatible");

        assertThat(run()).isEqualTo(ContractCommand.REJECTED);
        assertThat(printed()).contains("type (serializer) is Kryo, form 4, references=false at the client and");
    }

    @Test
    void shouldDescribeJson() throws IOException {
        settings.setProperty("goal", "approve");
        settings.setProperty("format", "json");

        assertThat(run()).isEqualTo(ContractCommand.ACCEPTED);
        assertThat(directory.resolve("contracts/test.Parcels.contract"))
                .content()
                .contains("type (serializer) JSON\n");
    }

    @Test
    void whenAModuleHasNoServiceThenTheCheckPasses() throws IOException {
        settings.setProperty("classes", directory.resolve("missing").toString());

        assertThat(run()).isEqualTo(ContractCommand.ACCEPTED);
        assertThat(printed()).startsWith("There is no service in ");
    }

    @Test
    void whenAServiceIsNamedThenOnlyItIsCompared() throws IOException {
        settings.setProperty("services", Invalid.class.getName());

        assertThat(run()).isEqualTo(ContractCommand.FAILED);
        assertThat(printed()).contains("java.lang.Thread");
    }

    @Test
    void whenANamedServiceDoesNotExistThenItIsReported() throws IOException {
        settings.setProperty("services", "com.example.Missing");

        assertThat(run()).isEqualTo(ContractCommand.FAILED);
        assertThat(printed()).startsWith("the service com.example.Missing cannot be loaded");
    }

    @Test
    void whenASettingIsUnknownThenTheChoicesAreListed() throws IOException {
        settings.setProperty("order", "servers");

        assertThat(run()).isEqualTo(ContractCommand.FAILED);
        assertThat(printed().strip())
                .isEqualTo("the order servers is unknown: set one of [servers-first, clients-first, any]");
    }

    @Test
    void whenTheFormatIsUnknownThenItIsReported() throws IOException {
        settings.setProperty("format", "xml");

        assertThat(run()).isEqualTo(ContractCommand.FAILED);
        assertThat(printed().strip()).isEqualTo("the format xml is unknown: set kryo or json");
    }

    @Test
    void whenTheMavenPluginHasAnotherVersionThenItIsReported() throws IOException {
        settings.remove("order");

        assertThat(run()).isEqualTo(ContractCommand.FAILED);
        assertThat(printed()).startsWith("the setting order is missing: use the same version");
    }
}
