package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.service.server.RdmaServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@DisplayName("A test replaces the remote side with a mock")
@SpringBootTest(
        classes = TestApplication.Server.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "rdma.provider=soft",
            "rdma.soft.addresses=127.0.0.1",
            "rdma.server.address=127.0.0.1",
            "rdma.server.port=0",
            "rdma.memory.max-size=128MB"
        })
class MockedClientTest {

    @MockitoBean
    @RdmaClient
    private Orders remote;

    @Autowired
    private Orders local;

    @Autowired
    private RdmaServer server;

    @Test
    void whenTheClientIsAMockThenTheLocalBeanIsExportedAndTheMockIsNot() {
        given(remote.add(1, 2)).willReturn(42);

        assertThat(remote.add(1, 2)).isEqualTo(42);
        assertThat(local).isInstanceOf(OrdersImpl.class);
        assertThat(server.services()).containsExactly("test.Orders");
    }
}
