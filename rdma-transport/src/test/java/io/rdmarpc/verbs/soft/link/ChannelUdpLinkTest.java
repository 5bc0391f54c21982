package io.rdmarpc.verbs.soft.link;

import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A link over UDP by the JDK")
class ChannelUdpLinkTest extends UdpLinkContract {

    @Override
    Supplier<UdpSockets> kind() {
        return ChannelSockets::new;
    }
}
