package io.rdmarpc.docs.testing;

import io.rdmarpc.autoconfigure.test.RdmaTest;
import io.rdmarpc.service.contract.check.ContractCheck;
import io.rdmarpc.service.server.RdmaServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@RdmaTest(OrderService.class)
class ContractsTest {

    @MockitoBean
    private PriceList prices;

    @Test
    void shouldKeepTheContracts(@Autowired RdmaServer server) {
        ContractCheck.in(Path.of("src/contracts")).verify(server.contracts());
    }
}
