package io.rdmarpc.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The members are part of the interface: a change of a list in this test needs another version of the JSON. */
@DisplayName("The JSON of the command")
class JsonOutputTest {

    /** A name at the start of a line of {@code devices -v}. */
    private static final Pattern NAME = Pattern.compile("(?m)^\\t*([a-z_0-9]+):");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path root;

    /** A provider whose device cannot be opened, or that has no device and fails. */
    private record BrokenProvider(boolean hasDevice) implements VerbsProvider {

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public int order() {
            return 0;
        }

        @Override
        public List<RdmaDevice> devices(Map<String, String> options) {
            if (hasDevice) {
                return List.of(new BrokenDevice("broken0"));
            }
            throw new RdmaVerbsException("loading libibverbs.so.1", "", 0, "apt install \"ibverbs-providers\"");
        }
    }

    private record BrokenDevice(String name) implements RdmaDevice {

        @Override
        public RdmaContext open() {
            throw new RdmaVerbsException("ibv_open_device", name, 13, "The user needs read and write permissions");
        }
    }

    private PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, UTF_8);
    }

    private int run(String... arguments) {
        return new RdmaCommand(stream(out), stream(err), root).run(List.of(arguments));
    }

    private JsonNode printed() {
        return new JsonMapper().readTree(out.toString(UTF_8));
    }

    private static Stream<String> names(JsonNode object) {
        return object.propertyNames().stream();
    }

    @Test
    @DisplayName("of devices has the members of version 1")
    void shouldHaveTheMembersOfADevice() {
        assertThat(run("devices", "--json", "-d", "soft0")).isZero();

        JsonNode json = printed();
        assertThat(names(json)).containsExactly("version", "devices", "problems");
        assertThat(json.get("version").asInt()).isOne();
        JsonNode device = json.get("devices").get(0);
        assertThat(names(device).limit(10))
                .containsExactly(
                        "hca_id",
                        "provider",
                        "transport",
                        "fw_ver",
                        "node_guid",
                        "sys_image_guid",
                        "vendor_id",
                        "vendor_part_id",
                        "hw_ver",
                        "phys_port_cnt");
        assertThat(names(device).skip(10).limit(12))
                .containsExactly(
                        "max_mr_size",
                        "page_size_cap",
                        "max_qp",
                        "max_qp_wr",
                        "device_cap_flags",
                        "device_caps",
                        "max_sge",
                        "max_sge_rd",
                        "max_cq",
                        "max_cqe",
                        "max_mr",
                        "max_pd");
        assertThat(names(device).skip(22))
                .containsExactly(
                        "max_qp_rd_atom",
                        "max_ee_rd_atom",
                        "max_res_rd_atom",
                        "max_qp_init_rd_atom",
                        "max_ee_init_rd_atom",
                        "atomic_cap",
                        "max_ee",
                        "max_rdd",
                        "max_mw",
                        "max_raw_ipv6_qp",
                        "max_raw_ethy_qp",
                        "max_mcast_grp",
                        "max_mcast_qp_attach",
                        "max_total_mcast_qp_attach",
                        "max_ah",
                        "max_fmr",
                        "max_map_per_fmr",
                        "max_srq",
                        "max_srq_wr",
                        "max_srq_sge",
                        "max_pkeys",
                        "local_ca_ack_delay",
                        "num_comp_vectors",
                        "ports");
        assertThat(device.get("provider").asString()).isEqualTo("soft");
        assertThat(device.get("max_qp").asInt()).isEqualTo(16384);
    }

    @Test
    @DisplayName("of devices has the members of version 1 for a port and a GID")
    void shouldHaveTheMembersOfAPort() {
        assertThat(run("devices", "--json", "-d", "soft0")).isZero();

        JsonNode port = printed().get("devices").get(0).get("ports").get(0);
        assertThat(names(port))
                .containsExactly(
                        "port",
                        "state",
                        "max_mtu",
                        "active_mtu",
                        "sm_lid",
                        "port_lid",
                        "port_lmc",
                        "link_layer",
                        "max_msg_sz",
                        "port_cap_flags",
                        "port_cap_flags2",
                        "max_vl_num",
                        "bad_pkey_cntr",
                        "qkey_viol_cntr",
                        "sm_sl",
                        "pkey_tbl_len",
                        "gid_tbl_len",
                        "subnet_timeout",
                        "init_type_reply",
                        "active_width",
                        "active_speed",
                        "phys_state",
                        "gids");
        assertThat(port.get("state").asString()).isEqualTo("PORT_ACTIVE");
        assertThat(port.get("max_msg_sz").asLong()).isEqualTo(1L << 30);
        assertThat(names(port.get("gids").get(0))).containsExactly("index", "gid", "type");
        assertThat(port.get("gids").get(0).get("type").asString()).isEqualTo("RoCE v2");
    }

    @Test
    @DisplayName("of devices has everything that devices -v prints")
    void shouldHaveEachAttributeOfTheText() {
        assertThat(run("devices", "-v", "-d", "soft0")).isZero();
        List<String> inText = NAME.matcher(out.toString(UTF_8))
                .results()
                .map(found -> found.group(1))
                .toList();
        out.reset();
        assertThat(run("devices", "--json", "-d", "soft0")).isZero();

        JsonNode device = printed().get("devices").get(0);
        assertThat(inText).hasSizeGreaterThan(50);
        assertThat(Stream.concat(names(device), names(device.get("ports").get(0))))
                .containsAll(inText);
    }

    @Test
    void whenADeviceIsMissingThenTheListIsEmpty() {
        assertThat(run("devices", "--json", "-d", "mlx9_9")).isEqualTo(1);

        assertThat(printed().get("devices").isEmpty()).isTrue();
        assertThat(err.size()).isZero();
    }

    @Test
    void whenADeviceCannotBeOpenedThenItIsAProblem() {
        List<VerbsProvider> providers = List.of(new BrokenProvider(true), new BrokenProvider(false));
        DevicesCommand command = new DevicesCommand(providers, stream(out), stream(err));

        assertThat(command.run(new DevicesCommand.Options(DevicesCommand.Form.JSON, "")))
                .isEqualTo(1);

        JsonNode problems = printed().get("problems");
        assertThat(problems.size()).isEqualTo(2);
        assertThat(names(problems.get(0))).containsExactly("subject", "text");
        assertThat(problems.get(0).get("subject").asString()).isEqualTo("broken0");
        assertThat(problems.get(0).get("text").asString()).contains("ibv_open_device on broken0 failed");
        assertThat(problems.get(1).get("subject").asString()).isEqualTo("broken");
        assertThat(problems.get(1).get("text").asString()).contains("apt install \"ibverbs-providers\"");
        assertThat(err.size()).isZero();
    }

    @Test
    @DisplayName("of doctor has the members of version 1, and all findings of the text")
    void shouldHaveEachFinding() {
        assertThat(run("doctor")).isZero();
        List<String> lines = out.toString(UTF_8).lines().toList();
        out.reset();
        assertThat(run("doctor", "--json")).isZero();

        JsonNode json = printed();
        assertThat(names(json)).containsExactly("version", "usable", "findings");
        assertThat(json.get("version").asInt()).isOne();
        assertThat(json.get("usable").valueStream().map(JsonNode::asString)).contains("soft");
        List<JsonNode> findings = json.get("findings").valueStream().toList();
        assertThat(findings).allSatisfy(finding -> {
            assertThat(names(finding)).containsExactly("level", "subject", "text", "remedy");
            assertThat(finding.get("level").asString()).isIn("OK", "WARN", "FAIL");
        });
        assertThat(findings.stream()
                        .map(finding -> "%-5s %-12s %s"
                                .formatted(
                                        finding.get("level").asString(),
                                        finding.get("subject").asString(),
                                        finding.get("text").asString())))
                .containsExactlyElementsOf(lines.stream()
                        .filter(line -> !line.startsWith(" ") && !line.startsWith("usable:"))
                        .toList());
        assertThat(findings.stream()
                        .map(finding -> finding.get("remedy").asString())
                        .filter(remedy -> !remedy.isEmpty()))
                .containsExactlyElementsOf(lines.stream()
                        .filter(line -> line.startsWith(" "))
                        .map(line -> line.strip().substring("-> ".length()))
                        .toList());
    }

    @Test
    void whenNoProviderIsUsableThenNoneIsListed() {
        DoctorCommand command = new DoctorCommand(List.of(new BrokenProvider(false)), new HostFiles(root), stream(out));

        assertThat(command.runAsJson()).isEqualTo(1);

        assertThat(printed().get("usable").isEmpty()).isTrue();
        assertThat(printed().get("findings").valueStream())
                .anySatisfy(
                        finding -> assertThat(finding.get("subject").asString()).isEqualTo("broken"));
    }
}
