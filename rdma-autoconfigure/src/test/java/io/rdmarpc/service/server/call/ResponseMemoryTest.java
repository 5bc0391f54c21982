package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A method that has run must not run again because memory for its response is missing. */
@Timeout(20)
class ResponseMemoryTest {

    @RdmaService(name = "till")
    interface Till {

        String book(String article);

        @RdmaMethod(idempotent = true, attempts = 2)
        String look(String article);
    }

    private final AtomicInteger runs = new AtomicInteger();
    private final Loopback loopback = new Loopback();
    private final Till client = client();

    private Till client() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("till", new Till() {
            @Override
            public String book(String article) {
                return article + runs.incrementAndGet();
            }

            @Override
            public String look(String article) {
                return book(article);
            }
        });
        ServiceCodecFactory codecs = KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
        new ServiceExporter(codecs, CallObserver.NONE, Runnable::run, LoadLimits.NONE)
                .export(beans)
                .forEach(loopback::export);
        return new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Till.class, new RdmaTarget("t", "a", loopback, Duration.ofSeconds(5)));
    }

    /** Fails the first allocations for responses. */
    private void rejectMemory(int times) {
        AtomicInteger left = new AtomicInteger(times);
        loopback.beforeResponse = () -> {
            if (left.getAndDecrement() > 0) {
                throw new RdmaBackpressureException("no memory");
            }
        };
    }

    @Test
    void whenThereIsNoMemoryForTheResponseThenTheCallMayHaveRun() {
        rejectMemory(1);

        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> client.book("bolt"))
                .satisfies(failure -> assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE))
                .withMessageContaining("no memory");
        assertThat(runs).hasValue(1);
    }

    @Test
    void whenTheMethodIsIdempotentThenItIsRetried() {
        rejectMemory(1);

        assertThat(client.look("bolt")).isEqualTo("bolt2");
    }
}
