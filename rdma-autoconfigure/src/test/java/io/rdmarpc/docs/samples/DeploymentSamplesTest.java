package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.properties.BoundSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.yaml.snakeyaml.Yaml;

@DisplayName("Samples for systemd, containers, Kubernetes and CI have what RDMA needs")
class DeploymentSamplesTest {

    private static final Path CONFIG = Path.of("../config");
    private static final Pattern OWN_COMMAND = Pattern.compile("(?:\\./|config/)[a-z][a-z0-9/-]*");

    private static String read(String file) throws IOException {
        return Files.readString(CONFIG.resolve(file));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object node, String... path) {
        Object at = node;
        for (String name : path) {
            at = ((Map<String, Object>) at).get(name);
        }
        return (Map<String, Object>) at;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object node) {
        return (List<Object>) node;
    }

    private static Map<String, Object> manifest(String kind) throws IOException {
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(read("kubernetes/orders.yml")).forEach(documents::add);
        return documents.stream()
                .map(document -> map(document))
                .filter(document -> kind.equals(document.get("kind")))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> container() throws IOException {
        return map(list(map(manifest("Deployment"), "spec", "template", "spec").get("containers"))
                .getFirst());
    }

    @Test
    void whenAPodRunsThenItHasADeviceAndMayLockMemory() throws IOException {
        Map<String, Object> requests = map(container(), "resources", "requests");

        assertThat(requests).containsKey("rdma/hca").isEqualTo(map(container(), "resources", "limits"));
        assertThat(map(container(), "securityContext", "capabilities").get("add"))
                .isEqualTo(List.of("IPC_LOCK"));
        assertThat(read("kubernetes/orders.yml")).contains("\"resourcePrefix\": \"rdma\"", "\"resourceName\": \"hca\"");
    }

    private static BoundSettings settingsOfThePod() throws IOException {
        Map<String, Object> environment = new HashMap<>();
        list(container().get("env")).forEach(entry -> {
            Map<String, Object> variable = map(entry);
            environment.put((String) variable.get("name"), variable.getOrDefault("value", "0123456789abcdef"));
        });
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new SystemEnvironmentPropertySource("systemEnvironment", environment));
        return BoundSettings.of(new Binder(ConfigurationPropertySources.from(sources)));
    }

    @Test
    void whenAPodHasTheTokenThenItIsTheSettingOfThisName() throws IOException {
        assertThat(settingsOfThePod().token()).isEqualTo("0123456789abcdef");
    }

    /**
     * A pod that requests huge pages waits until a node has some. A pod that gets them without using them wastes
     * them.
     */
    @Test
    void whenThePodDoesNotUseHugePagesThenItRequestsNone() throws IOException {
        Map<String, Object> requests = map(container(), "resources", "requests");

        assertThat(requests.keySet()).noneMatch(name -> name.startsWith("hugepages-"));
        assertThat(settingsOfThePod().hugePages()).isFalse();
    }

    @Test
    void whenAPodStopsThenItHasTimeForCallsInFlight() throws IOException {
        Object seconds = map(manifest("Deployment"), "spec", "template", "spec").get("terminationGracePeriodSeconds");

        assertThat((Integer) seconds).isGreaterThan(30);
    }

    @Test
    void whenASystemdServiceRunsThenItMayLockMemoryAndOpenDevices() throws IOException {
        assertThat(read("systemd/orders.service"))
                .contains("LimitMEMLOCK=infinity", "DeviceAllow=char-infiniband_verbs rw", "SuccessExitStatus=143")
                .contains("--enable-native-access=ALL-UNNAMED")
                .doesNotContain("\nPrivateDevices=yes", "\nMemoryDenyWriteExecute=yes");
    }

    @Test
    void whenAContainerIsBuiltThenItHasTheLibrariesOfTheDevices() throws IOException {
        assertThat(read("container/Containerfile"))
                .contains(
                        "libibverbs1 ibverbs-providers librdmacm1",
                        "--device /dev/infiniband",
                        "--ulimit memlock=-1:-1")
                .contains("\"--enable-native-access=ALL-UNNAMED\"")
                .containsPattern("(?m)^USER 10001$");
    }

    @Test
    void whenTheWorkflowRunsACommandThenItExists() throws IOException {
        Map<String, Object> jobs = map(new Yaml().load(read("ci/github-actions.yml")), "jobs");
        List<String> commands = new ArrayList<>();
        jobs.values()
                .forEach(job -> list(map(job).get("steps")).forEach(step -> {
                    Object run = map(step).get("run");
                    if (run != null) {
                        OWN_COMMAND.matcher(run.toString()).results().forEach(found -> commands.add(found.group()));
                    }
                }));

        assertThat(commands)
                .contains("config/host/soft-roce", "./rdma-rpc", "./demo")
                .allSatisfy(command -> assertThat(Path.of("..", command)).isExecutable());
    }
}
