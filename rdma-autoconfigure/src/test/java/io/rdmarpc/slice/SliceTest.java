package io.rdmarpc.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.test.LocalRdmaServerPort;
import io.rdmarpc.autoconfigure.test.RdmaTest;
import io.rdmarpc.service.client.RdmaProxy;
import io.rdmarpc.transport.NicContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext;

@RdmaTest
@DirtiesContext
@Timeout(60)
class SliceTest {

    @Autowired
    @RdmaClient
    private Shop.Prices prices;

    @Autowired
    private ApplicationContext context;

    @LocalRdmaServerPort
    private int port;

    @Test
    void callsTravelToTheApplicationsOwnServer() {
        assertThat(prices).isInstanceOf(RdmaProxy.class);
        assertThat(prices.priceOf("apple")).isEqualTo(5);
        assertThat(port).isPositive();
    }

    @Test
    void onlyServicesAreThere() {
        assertThat(context.getBeanNamesForType(Shop.Shelf.class)).hasSize(1);
        assertThat(context.getBeanNamesForType(Shop.Mailer.class)).isEmpty();
        assertThat(context.containsBean("applicationTaskExecutor")).isTrue();
        assertThat(context.containsBean("mvcHandlerMappingIntrospector")).isFalse();
    }

    @Test
    void itRunsOnTheSoftwareRnicOfTheLoopbackInterface() {
        NicContext nic = context.getBean(NicContext.class);
        assertThat(nic.providerName()).isEqualTo("soft");
        assertThat(nic.gid().gid()).hasToString("::ffff:127.0.0.1");
    }
}
