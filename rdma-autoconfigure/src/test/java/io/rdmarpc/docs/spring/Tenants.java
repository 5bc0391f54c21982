package io.rdmarpc.docs.spring;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.RdmaStatusException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

final class Tenants {

    private Tenants() {}

    @Configuration(proxyBeanMethods = false)
    static class OnTheClient {

        @Bean
        RdmaClientInterceptor sendTenant() {
            return (call, next) -> {
                call.metadata().put("tenant", "acme");
                return next.proceed();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnTheServer {

        @Bean
        @Order(0)
        RdmaServerInterceptor requireTenant() {
            return (call, next) -> {
                if (call.metadata().get("tenant") == null) {
                    throw new RdmaStatusException(RpcStatus.UNAUTHENTICATED, "the call has no tenant");
                }
                return next.proceed();
            };
        }
    }
}
