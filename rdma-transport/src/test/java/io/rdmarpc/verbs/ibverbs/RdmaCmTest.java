package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.ConnectionManager;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.cm.RdmaCm;
import io.rdmarpc.verbs.ibverbs.ffi.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The connection manager")
class RdmaCmTest {

    @Test
    void shouldBeFoundByTheServiceLoader() {
        assertThat(ConnectionManager.load()).isInstanceOf(RdmaCm.class);
    }

    @Test
    void whenTheListeningAddressIsUnresolvedThenItIsNamed() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 7);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RdmaCm().listen(unresolved, 1))
                .withMessageContaining("nowhere.invalid");
    }

    @Test
    void whenThereIsNoDeviceThenTheExceptionSaysWhatToDo() {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "this machine has RDMA");
        ConnectionManager manager = ConnectionManager.load();
        InetSocketAddress somewhere = new InetSocketAddress(18515);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> manager.resolve(CmDestination.to(somewhere), Duration.ofSeconds(1)))
                .withMessageMatching("(?s).*(apt install|modprobe|ibv_devinfo).*");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> manager.listen(somewhere, 1))
                .withMessageMatching("(?s).*(apt install|modprobe|ibv_devinfo).*");
    }

    @Test
    void whenNativeAccessIsMissingThenTheExceptionNamesTheOption() throws IOException, InterruptedException {
        ChildJvm.Result result = ChildJvm.run(List.of("--illegal-native-access=deny"), PrintsReason.class);

        assertThat(result.status()).as(result.output()).isZero();
        assertThat(result.output()).contains("start it with --enable-native-access=ALL-UNNAMED");
    }

    /** Runs in a separate JVM. */
    static final class PrintsReason {

        private PrintsReason() {}

        public static void main(String[] arguments) {
            try {
                new RdmaCm().listen(new InetSocketAddress(0), 1).close();
            } catch (RdmaVerbsException e) {
                IO.println(e.getMessage());
            }
        }
    }
}
