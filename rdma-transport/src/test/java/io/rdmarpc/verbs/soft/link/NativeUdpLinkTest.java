package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.NativeAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A link over UDP by calls of Linux")
class NativeUdpLinkTest extends UdpLinkContract {

    @BeforeAll
    static void onLinux() {
        assumeTrue(NativeAccess.isGranted(), "this is not Linux");
    }

    @Override
    Supplier<UdpSockets> kind() {
        return NativeSockets::new;
    }

    @Test
    void shouldTellWhatToSleepOn() throws IOException {
        try (UdpLink link = open(List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2")), 0)) {
            assertThat(link.descriptors()).hasSize(2).doesNotHaveDuplicates().doesNotContain(-1, 0, 1, 2);
            assertThat(link.prepareSleep()).isTrue();
        }
    }
}
