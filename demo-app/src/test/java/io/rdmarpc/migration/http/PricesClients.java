package io.rdmarpc.migration.http;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

@Configuration(proxyBeanMethods = false)
class PricesClients {

    @Bean
    MovingPrices prices(
            @RdmaClient Prices rdma,
            @Value("${prices.url}") String url,
            @Value("${prices.rdma-percent:0}") int percent) {
        Prices http = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(RestClient.create(url)))
                .build()
                .createClient(Prices.class);
        return new MovingPrices(http, rdma, percent);
    }
}
