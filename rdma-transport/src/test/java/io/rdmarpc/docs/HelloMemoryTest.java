package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.remote.RemotePeer;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of {@code docs/how-to/share-memory.md} are code that works. */
@DisplayName("An example of docs/how-to/share-memory.md")
@Timeout(60)
class HelloMemoryTest {

    private static final Map<String, String> OPTIONS = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");

    private static RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", OPTIONS), RpcConfig.DEFAULTS);
    }

    private static RemoteMemory openMemory(RdmaRuntime runtime) {
        return RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS.withProvider("soft", OPTIONS));
    }

    @Test
    @DisplayName("allocates, transfers, lends and uses")
    void works() {
        try (RdmaRuntime serving = openRuntime();
                RdmaRuntime calling = openRuntime();
                RpcServer server = serving.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                RemoteMemory owner = openMemory(serving);
                RemoteMemory user = openMemory(calling)) {

            assertThat(HelloMemory.allocated(user, server.address())).isEqualTo(5);

            try (RemotePeer peer = user.peer("owner", server.address());
                    LocalRegion local = user.allocateLocal(4096)) {
                HelloMemory.transfer(user, peer.allocate(4096, Duration.ofMinutes(1)));
                byte[] text = Arrays.copyOf("from the caller".getBytes(StandardCharsets.UTF_8), 16);
                local.slice().put(text);
                assertThat(HelloMemory.use(owner, HelloMemory.lend(user, local)))
                        .isEqualTo(text);
            }
        }
    }

    @Test
    @DisplayName("is printed as it is")
    void printed() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/rdmarpc/docs/HelloMemory.java"));
        String declaration = source.substring(source.indexOf("final class "));

        assertThat(Files.readString(Path.of("../docs/how-to/share-memory.md"))).contains("\n" + declaration + "```");
    }
}
