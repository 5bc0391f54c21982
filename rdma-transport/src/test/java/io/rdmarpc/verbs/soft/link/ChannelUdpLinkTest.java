package io.rdmarpc.verbs.soft.link;

import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A UDP link that uses JDK channels")
class ChannelUdpLinkTest extends UdpLinkContract {

    @Override
    Supplier<UdpSockets> kind() {
        return ChannelSockets::new;
    }
}
