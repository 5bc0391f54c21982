package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.SoftRemoteMemoryTest.Network;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.JavaProcess;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
@ParameterizedClass
@EnumSource(names = {"SHARED_MEMORY", "UDP"})
@DisplayName("Remote memory between processes, on the software RNIC")
@Tag("processes")
class TwoProcessesTest extends RemoteProcessCases {

    TwoProcessesTest(Network network) {
        super(network);
    }

    /** Runs only on the software RNIC: 8 JVMs are too slow on the single processor of the virtual machine. */
    @Test
    @DisplayName("concurrent atomics of 8 processes, by get-and-add and compare-and-swap, give the exact sum")
    void whenEightProcessesCountThenTheSumIsExact() throws Exception {
        int processes = 8;
        try (RdmaRuntime runtime = provider.openRuntime();
                RemoteMemory owner = openMemory(runtime, LendingLimits.DEFAULTS);
                RpcServer server = Memories.listen(runtime);
                LocalRegion words = owner.allocateLocal(2 * Long.BYTES)) {
            List<JavaProcess> adders = new ArrayList<>();
            try {
                for (int i = 0; i < processes; i++) {
                    RegionGrant grant = owner.grant(words.slice(), RemoteRight.USUAL, LEASE);
                    adders.add(start("adder", server.address().getPort(), MemoryProcess.text(grant.token())));
                }
                for (JavaProcess adder : adders) {
                    adder.await("READY");
                }
                for (JavaProcess adder : adders) {
                    adder.endInput();
                }
                for (JavaProcess adder : adders) {
                    adder.await("ADDED");
                }
            } finally {
                adders.forEach(JavaProcess::close);
            }
            assertThat(words.slice().readable().get(ValueLayout.JAVA_LONG, 0))
                    .as("by get-and-add")
                    .isEqualTo((long) processes * MemoryProcess.ADDS * MemoryProcess.ADDEND);
            assertThat(words.slice().readable().get(ValueLayout.JAVA_LONG, Long.BYTES))
                    .as("by compare-and-swap")
                    .isEqualTo((long) processes * MemoryProcess.SWAPS);
        }
    }
}
