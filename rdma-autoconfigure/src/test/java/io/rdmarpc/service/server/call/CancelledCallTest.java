package io.rdmarpc.service.server.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Effects of a caller's cancellation on a bean's method. */
@Timeout(20)
class CancelledCallTest {

    @RdmaService(name = "patience")
    interface Patience {

        @RdmaMethod(interruptible = true)
        CompletableFuture<String> interrupted();

        CompletableFuture<String> later();
    }

    static final class PatienceBean implements Patience {

        final CountDownLatch running = new CountDownLatch(1);
        final CompletableFuture<String> outcome = new CompletableFuture<>();
        final CompletableFuture<String> promise = new CompletableFuture<>();

        @Override
        public CompletableFuture<String> interrupted() {
            running.countDown();
            try {
                Thread.sleep(Duration.ofMinutes(1));
                outcome.complete("slept");
            } catch (InterruptedException e) {
                outcome.complete("interrupted");
            }
            return CompletableFuture.completedFuture("too late");
        }

        @Override
        public CompletableFuture<String> later() {
            running.countDown();
            return promise;
        }
    }

    private final CompletableFuture<RpcStatus> end = new CompletableFuture<>();
    private final PatienceBean bean = new PatienceBean();
    private final Patience client = client();

    private Patience client() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("patience", bean);
        ServiceCodecFactory codecs = KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
        Loopback loopback = new Loopback();
        new ServiceExporter(codecs, observer(), task -> Thread.ofVirtual().start(task), LoadLimits.NONE)
                .export(beans)
                .forEach(loopback::export);
        return new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .create(Patience.class, new RdmaTarget("t", "a", loopback, Duration.ofSeconds(5)));
    }

    /** Records how calls end at the server. */
    private CallObserver observer() {
        return new CallObserver() {
            @Override
            public MethodObserver client(String service, String method, String target, ServerAddress server) {
                return MethodObserver.NONE;
            }

            @Override
            public MethodObserver server(String service, String method) {
                return (status, failure, nanos) -> end.complete(status);
            }
        };
    }

    @Test
    @DisplayName("LT-01 an interruptible method is interrupted when its caller cancels the call")
    void whenTheCallerCancelsThenAnInterruptibleMethodIsInterrupted() throws Exception {
        CompletableFuture<String> call = client.interrupted();
        bean.running.await();

        call.cancel(true);

        assertThat(bean.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
    }

    @Test
    @DisplayName("LT-01 the future that a method returned is cancelled with the caller's")
    void whenTheCallerCancelsThenTheBeansFutureIsCancelled() throws Exception {
        CompletableFuture<String> call = client.later();
        bean.running.await();
        // The method's thread may not have returned the future yet. A listener that is added later is notified
        // immediately.
        call.cancel(true);

        bean.promise.handle((value, failure) -> failure).get(10, TimeUnit.SECONDS);
        assertThat(bean.promise).isCancelled();
    }

    @Test
    void whenTheCallerCancelsThenTheCallEndsAsCancelled() throws Exception {
        CompletableFuture<String> call = client.later();
        bean.running.await();

        call.cancel(true);

        assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(RpcStatus.CANCELLED);
    }

    @Test
    @DisplayName("a future that the bean itself cancels is a failure of the method")
    void whenTheBeanCancelsItsFutureThenTheCallHasFailed() throws Exception {
        CompletableFuture<String> call = client.later();
        bean.running.await();

        bean.promise.cancel(true);

        assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo(RpcStatus.HANDLER_FAILED);
        assertThat(call).isCompletedExceptionally();
    }
}
