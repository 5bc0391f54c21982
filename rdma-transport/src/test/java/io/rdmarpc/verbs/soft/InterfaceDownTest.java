package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real interface in a separate network namespace goes down and loses its address. Needs root and iproute2. */
@Timeout(120)
@Tag("processes")
class InterfaceDownTest {

    private static final String CABLE = """
        ip link add here type veth peer name there &&
        ip addr add 10.99.0.1/24 dev here && ip link set there up && ip link set here up && exec "$@"
        """;
    private static final List<String> NAMESPACE = List.of("unshare", "--net", "sh", "-c", CABLE, "sh");

    @BeforeAll
    static void needNamespaces() throws IOException, InterruptedException {
        List<String> attempt = new ArrayList<>(NAMESPACE);
        attempt.add("true");
        assumeTrue(works(attempt), "network namespaces with virtual Ethernet pairs are not available");
    }

    private static boolean works(List<String> command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // No such program.
        }
    }

    private static void ip(ChildJvm of, String words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("nsenter", "-t", Long.toString(of.pid()), "--net", "ip"));
        command.addAll(List.of(words.split(" ")));
        assertThat(works(command)).as(words).isTrue();
    }

    @Test
    void shouldReportAnInterfaceThatGoesDownAndLosesItsAddress() throws IOException, InterruptedException {
        try (ChildJvm child = ChildJvm.startBy(NAMESPACE, PortEventsProcess.class, "10.99.0.1")) {
            assertThat(child.line()).isEqualTo("LISTENING");
            ip(child, "link set here down");
            assertThat(child.line()).isEqualTo("PORT_ERR of port 1");
            ip(child, "link set here up");
            assertThat(child.line()).isEqualTo("PORT_ACTIVE of port 1");
            ip(child, "link set there down");
            assertThat(child.line()).as("the cable's other end").isEqualTo("PORT_ERR of port 1");
            ip(child, "link set there up");
            assertThat(child.line()).isEqualTo("PORT_ACTIVE of port 1");
            ip(child, "addr del 10.99.0.1/24 dev here");
            assertThat(child.line()).isEqualTo("GID_CHANGE of port 1");
            assertThat(child.line()).isEqualTo("PORT_ERR of port 1");
            ip(child, "addr add 10.99.0.1/24 dev here");
            assertThat(child.line()).isEqualTo("GID_CHANGE of port 1");
            assertThat(child.line()).isEqualTo("PORT_ACTIVE of port 1");
        }
    }
}
