package io.rdmarpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.rpc.wire.Mac;
import io.rdmarpc.rpc.wire.Nonce;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Secrets here are 0x53 in each byte, or the text of the token. */
@DisplayName("What ends up in logs has no secrets")
class SecretsTest {

    private static final String TOKEN = "a token that nobody may see";
    private static final int KEY = 0x535353;
    private static final long COOKIE = 0x5353535353535353L;
    private static final Gid GID = new Gid(0, 0xFFFF_0A00_0001L);

    static Stream<Object> loggable() {
        byte[] random = new byte[32];
        Arrays.fill(random, (byte) 0x53);
        UdEndpoint ud = new UdEndpoint(GID, 0, 7, KEY);
        RcEndpoint rc = new RcEndpoint(GID, 0, new RcEndpoint.Half(7, KEY), new RcEndpoint.Half(8, KEY), 16);
        Id128 id = new Id128(1, COOKIE);
        Nonce nonce = new Nonce(random);
        ControlSecurity security = ControlSecurity.NONE.withToken(TOKEN);
        ControlConfig control = ControlConfig.DEFAULTS.withSecurity(security);
        return Stream.of(
                security,
                control,
                RpcConfig.DEFAULTS.toBuilder().control(control).build(),
                ud,
                rc,
                new QueuePairEndpoint(GID, 0, 7, KEY, PathMtu.MTU_1024, 16, 8),
                new RemoteMemoryRange(COOKIE, 64, KEY),
                id,
                nonce,
                new ControlMessage.Hello(3, 3000, id, nonce),
                new ControlMessage.Welcome(3, 3000, id, nonce, true, "soft"),
                new ControlMessage.Proof(new Mac(random)),
                new ControlMessage.Proven(new Mac(random)),
                new ControlMessage.Open(1, id, "soft", ud, 5, 4, PathMtu.MTU_1024, 1 << 20, false),
                new ControlMessage.Opened(1, ud, 5, COOKIE, 4, PathMtu.MTU_1024, 1 << 20),
                new ControlMessage.RcOffer(1, rc),
                new ControlMessage.RcResponse(1, rc));
    }

    @ParameterizedTest
    @MethodSource("loggable")
    void shouldNotHaveASecretInItsText(Object value) {
        assertThat(value.toString())
                .doesNotContain(TOKEN)
                .doesNotContain("5353")
                .doesNotContain(String.valueOf(KEY))
                .doesNotContain(String.valueOf(COOKIE))
                .doesNotContain("83, 83");
    }
}
