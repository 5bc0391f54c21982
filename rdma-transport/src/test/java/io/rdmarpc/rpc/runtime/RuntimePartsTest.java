package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.transport.FakeNic;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A runtime that cannot be created")
class RuntimePartsTest {

    private final FakeNic first = new FakeNic(PathMtu.MTU_1024);
    private final FakeNic second = new FakeNic(PathMtu.MTU_1024);
    private final NicContext nic = first.open();
    private final UdTransport ud = UdTransport.open(nic, UdConfig.DEFAULTS);
    private final RcTransport rc = RcTransport.open(nic, RcConfig.DEFAULTS);
    private final long registeredBefore = first.registeredBytes();

    @AfterEach
    void nothingIsLeft() {
        assertThat(second.isClosed())
                .as("the second NIC, which the runtime owns")
                .isTrue();
        assertThat(first.isClosed()).as("the first NIC, which it does not own").isFalse();
        assertThat(first.registeredBytes()).isEqualTo(registeredBefore);
        assertThat(second.registeredBytes()).isZero();
        rc.close();
        ud.close();
        nic.close();
        assertThat(first.violations()).isEmpty();
        assertThat(second.violations()).isEmpty();
    }

    private static PollingThread thread(String name) {
        return PollingConfig.DEFAULTS.threads(name).getFirst();
    }

    private RdmaRuntime create(UdConfig more) {
        return RdmaRuntime.create(
                nic,
                ud,
                rc,
                thread("first"),
                List.of(new EngineConfig(more, RcConfig.DEFAULTS, thread("more"))),
                MemoryConfig.DEFAULTS,
                RpcConfig.DEFAULTS,
                EngineScaling.NONE,
                new FallbackNic(second.open(), UdConfig.DEFAULTS, RcConfig.DEFAULTS, thread("second"), true, true));
    }

    @Test
    void whenTheFirstEngineGetsNoMemoryThenTheSecondNicIsClosed() {
        first.rejectMemory(true);
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> create(UdConfig.DEFAULTS));
    }

    @Test
    void whenAnotherEngineCannotBeCreatedThenAllPartsAreClosed() {
        UdConfig tooDeep = new UdConfig(1 << 20, 1 << 20, 0);
        assertThatExceptionOfType(RdmaConfigurationException.class).isThrownBy(() -> create(tooDeep));
    }

    @Test
    void whenTheSecondNicsEngineGetsNoMemoryThenAllPartsAreClosed() {
        second.rejectMemory(true);
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> create(UdConfig.DEFAULTS));
    }

    @Test
    void whenItIsCreatedThenClosingItClosesTheSecondNic() {
        create(UdConfig.DEFAULTS).close();
    }
}
