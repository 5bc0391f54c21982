package io.rdmarpc.service.client.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.FakeStream;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.InstanceState.State;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.server.ServiceExporter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

@Timeout(30)
@DisplayName("Effects of calls on the state of their instance")
class BalancedCallsTest {

    @RdmaService
    interface Stock {

        @RdmaMethod(timeout = "300ms")
        int count();

        void reject();

        @RdmaMethod(oneWay = true)
        void tell();

        Iterator<String> words();
    }

    private final Stock bean = new Stock() {
        @Override
        public int count() {
            return 42;
        }

        @Override
        public void reject() {
            throw new IllegalStateException("not today");
        }

        @Override
        public void tell() {}

        @Override
        public Iterator<String> words() {
            return Collections.emptyIterator();
        }
    };

    private final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
    private final Loopback server = new Loopback();
    private final List<RdmaClientInterceptor> interceptors = new ArrayList<>();
    private BalancedChannel channel;
    private volatile boolean late;
    private Iterator<String> words = Collections.emptyIterator();

    /**
     * Creates a client of a target with one instance, which is excluded after the given number of calls without a
     * response.
     */
    private Stock stock(int timeouts) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("stock", bean);
        new ServiceExporter(codecs, CallObserver.NONE, Runnable::run, LoadLimits.NONE)
                .export(beans)
                .forEach(server::export);
        channel = new BalancedChannel(
                "stock",
                "here:1",
                new FixedInstances(List.of(InetSocketAddress.createUnresolved("here", 1))),
                _ -> server,
                new BalancingConfig(
                        BalancingPolicy.ROUND_ROBIN,
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(1),
                        timeouts,
                        Duration.ZERO));
        Stock stock = new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .withInterceptors(interceptors)
                .create(Stock.class, new RdmaTarget("stock", "here:1", channel, Duration.ofSeconds(2)));
        channel.session(Duration.ofSeconds(2));
        return stock;
    }

    @AfterEach
    void close() {
        channel.close();
        assertThat(server.messages.open()).isZero();
    }

    private State state() {
        return channel.instances().getFirst().state();
    }

    @Test
    void whenTheCallerSendsTooLateThenTheInstanceIsNotExcluded() {
        interceptors.add((call, next) -> {
            while (late && call.remainingNanos() > 0) {
                Thread.onSpinWait();
            }
            return next.proceed();
        });
        Stock stock = stock(1);
        assertThat(stock.count()).isEqualTo(42);
        late = true;

        assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(stock::count);

        assertThat(state()).isEqualTo(State.READY);
    }

    private void unanswered(Runnable call) {
        server.silent = true;
        assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(call::run);
        server.silent = false;
    }

    @Test
    void whenAnInstanceRespondsWithAnErrorThenItIsNotExcluded() {
        Stock stock = stock(2);
        unanswered(stock::count);
        assertThatExceptionOfType(RdmaRemoteException.class).isThrownBy(stock::reject);

        unanswered(stock::count);

        assertThat(state()).isEqualTo(State.READY);
        unanswered(stock::count);
        assertThat(state()).as("two in a row").isEqualTo(State.PROBATION);
    }

    @Test
    void whenOneWayCallsHaveNoResponseThenTheInstanceIsExcluded() {
        Stock stock = stock(2);
        server.silent = true;

        stock.tell();
        stock.tell();

        Awaitility.await().until(() -> state() == State.PROBATION);
    }

    @Test
    void whenAOneWayCallHasAResponseThenTheFailuresOfTheInstanceAreReset() {
        Stock stock = stock(2);
        unanswered(stock::count);
        stock.tell();

        unanswered(stock::count);

        assertThat(state()).isEqualTo(State.READY);
    }

    private FakeStream open(Stock stock) {
        AtomicReference<FakeStream> opened = new AtomicReference<>();
        server.streams = receiver -> {
            opened.set(new FakeStream(receiver));
            return opened.get();
        };
        words = stock.words();
        return opened.get();
    }

    @Test
    void whenStreamsDeliverNothingThenTheInstanceIsExcluded() {
        Stock stock = stock(2);
        for (int i = 0; i < 2; i++) {
            open(stock).breakOff(RpcStatus.DEADLINE_EXCEEDED);
            assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> words.hasNext());
        }

        assertThat(state()).isEqualTo(State.PROBATION);
    }

    @Test
    void whenAStreamEndsThenTheFailuresOfTheInstanceAreReset() {
        Stock stock = stock(2);
        unanswered(stock::count);
        open(stock).end();
        assertThat(words.hasNext()).isFalse();

        unanswered(stock::count);

        assertThat(state()).isEqualTo(State.READY);
    }
}
