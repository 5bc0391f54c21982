package io.rdmarpc.remote;

import io.rdmarpc.remote.SoftRemoteMemoryTest.Network;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
@ParameterizedClass
@EnumSource(names = {"SHARED_MEMORY", "UDP"})
@DisplayName("Remote memory between processes, on the software RNIC")
class TwoProcessesTest extends RemoteProcessCases {

    TwoProcessesTest(Network network) {
        super(network);
    }
}
