package io.rdmarpc.service.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class RdmaServiceProxyTest {

    interface Base<T> {
        T same(T value);
    }

    @RdmaService
    interface Greeter extends Base<String> {

        String greet(String name);

        String greet(String name, int times);

        void silent();

        int length(String text);

        CompletableFuture<String> later(String name);

        CompletionStage<Void> laterNothing();

        @RdmaMethod(timeout = "50ms")
        String slow();

        default String greetAll(List<String> names) {
            return greet(String.join(" and ", names));
        }
    }

    private final Loopback server = new Loopback();
    private final List<String> observed = new CopyOnWriteArrayList<>();
    private final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(getClass().getClassLoader(), List.of());
    private final ServiceDescription service = ServiceDescription.of(Greeter.class);
    private final ServiceCodec codec = codecs.codecOf(service);
    private final RdmaTarget target = new RdmaTarget("main", "here:1", server, Duration.ofSeconds(5));
    private final Greeter greeter = proxy(Greeter.class);

    private <T> T proxy(Class<T> type) {
        CallObserver observer = new CallObserver() {
            @Override
            public MethodObserver client(String service, String method, String target, ServerAddress server) {
                return (status, failure, nanos) -> observed.add(method + " at " + target + " " + status + " "
                        + (failure == null ? "-" : failure.getClass().getSimpleName()));
            }

            @Override
            public MethodObserver server(String service, String method) {
                return MethodObserver.NONE;
            }
        };
        RdmaServiceProxyFactory factory = new RdmaServiceProxyFactory(codecs, observer, Runnable::run);
        return factory.create(type, target);
    }

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(server.messages.open()).isZero();
    }

    @FunctionalInterface
    interface Body {
        Object answer(Object[] args) throws Exception;
    }

    private ServiceMethod method(String signaturePart) {
        return service.methods().stream()
                .filter(method -> method.signature().contains(signaturePart))
                .findFirst()
                .orElseThrow();
    }

    private void on(String signaturePart, Body body) {
        ServiceMethod method = method(signaturePart);
        MethodCodec methodCodec = codec.method(method);
        server.handle(
                method.id(),
                request -> request.respond(methodCodec.encodeResult(
                        request, body.answer(methodCodec.decodeArguments(request.message())))));
    }

    private void onFail(String signaturePart, RpcStatus status, String type, String words) {
        server.handle(method(signaturePart).id(), request -> request.fail(status, type, words));
    }

    @Test
    void shouldCallTheRightOverload() {
        on(" greet(java.lang.String)", args -> "Hello, " + args[0]);
        on(" greet(java.lang.String, int)", args -> "Hello, " + args[0] + "!".repeat((int) args[1]));
        assertThat(greeter.greet("Ada")).isEqualTo("Hello, Ada");
        assertThat(greeter.greet("Ada", 3)).isEqualTo("Hello, Ada!!!");
        assertThat(observed).containsExactly("greet at main OK -", "greet at main OK -");
    }

    private long remainingNanosOf(Runnable call, String signaturePart) {
        AtomicLong remaining = new AtomicLong();
        server.handle(method(signaturePart).id(), request -> {
            remaining.set(request.remainingNanos());
            request.fail(RpcStatus.INTERNAL, "", "seen");
        });
        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(call::run);
        return remaining.get();
    }

    @Test
    void whenTheTargetsTimeoutChangesThenLaterCallsUseIt() {
        target.timeout().set(Duration.ofHours(2));
        assertThat(remainingNanosOf(() -> greeter.greet("Ada"), " greet(java.lang.String)"))
                .isBetween(TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(2));
        assertThat(remainingNanosOf(greeter::slow, " slow()"))
                .as("a method with its own timeout")
                .isLessThan(TimeUnit.MILLISECONDS.toNanos(50));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> target.timeout().set(Duration.ZERO))
                .withMessage("invalid call timeout PT0S: set a timeout longer than 0");
        assertThat(target.timeout().get()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void shouldCallInheritedGenericMethods() {
        on(" same(", args -> args[0]);
        assertThat(greeter.same("x")).isEqualTo("x");
        Base<String> base = greeter;
        assertThat(base.same("y")).isEqualTo("y");
    }

    @Test
    void whenAnObserverThrowsThenTheCallSucceeds() {
        MethodObserver broken = MethodObserver.harmless((status, failure, nanos) -> {
            throw new IllegalStateException("broken");
        });
        broken.onEnd(RpcStatus.OK, null, 1);
        assertThat(MethodObserver.harmless(MethodObserver.NONE)).isSameAs(MethodObserver.NONE);
    }

    @Test
    void shouldReturnPrimitivesAndVoid() {
        on(" length(", args -> ((String) args[0]).length());
        on(" silent(", args -> null);
        assertThat(greeter.length("four")).isEqualTo(4);
        greeter.silent();
    }

    @Test
    void shouldRunDefaultMethodsLocally() {
        on(" greet(java.lang.String)", args -> "Hello, " + args[0]);
        assertThat(greeter.greetAll(List.of("Ada", "Bob"))).isEqualTo("Hello, Ada and Bob");
    }

    @Test
    void shouldRunMethodsOfObjectLocally() {
        Object same = greeter;
        assertThat(greeter.equals(same)).isTrue();
        assertThat(greeter)
                .isNotEqualTo(proxy(Greeter.class))
                .isNotEqualTo(null)
                .hasSameHashCodeAs(same);
        assertThat(greeter)
                .hasToString(Greeter.class.getName() + " at main (here:1)")
                .isInstanceOf(RdmaProxy.class);
        assertThat(server.connects).as("connections").hasValue(0);
    }

    @Test
    void whenTheSessionHasEndedThenTheNextCallConnects() {
        on(" silent(", args -> null);
        greeter.silent();
        greeter.silent();
        assertThat(server.connects).hasValue(1);
        assertThat(server.verifications).hasValue(1);
        server.endSession();
        greeter.silent();
        assertThat(server.connects).hasValue(2);
        assertThat(server.verifications).hasValue(2);
    }

    @Test
    void whenTheServerThrowsThenTheMessageIsKeptAndNamesTheCall() {
        onFail(" silent(", RpcStatus.HANDLER_FAILED, "java.lang.IllegalStateException", "sold out");
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(greeter::silent)
                .withMessage(Greeter.class.getName()
                        + ".silent at main (here:1) threw java.lang.IllegalStateException: sold out")
                .satisfies(e -> assertThat(e.remoteType()).isEqualTo("java.lang.IllegalStateException"))
                .satisfies(
                        e -> assertThat(e.getStackTrace()[0].getClassName()).startsWith("io.rdmarpc.service.client"));
        assertThat(observed).containsExactly("silent at main HANDLER_FAILED RdmaRemoteException");
    }

    @Test
    void shouldNameTheCallInFailures() {
        server.reachable = false;
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(greeter::silent)
                .withMessage(Greeter.class.getName() + ".silent at main (here:1): no server is reachable");
        server.reachable = true;
        onFail(" silent(", RpcStatus.UNAVAILABLE, "", "the server is stopping");
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(greeter::silent)
                .withMessageContaining("the server is stopping");
        onFail(" silent(", RpcStatus.INTERNAL, "", "oops");
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(greeter::silent)
                .withMessageContaining(".silent at main (here:1): oops");
    }

    @Test
    void shouldKeepTheTypeOfFailures() {
        assertThat(CallFailures.of("c", new RdmaBackpressureException("m")))
                .isExactlyInstanceOf(RdmaBackpressureException.class)
                .hasMessage("c: m")
                .hasNoCause();
        IOException why = new IOException("rejected");
        assertThat(CallFailures.of("c", new RdmaUnavailableException("m", why)))
                .hasMessage("c: m")
                .hasCause(why);
        assertThat(CallFailures.of("c", new RdmaContractException("m")))
                .isExactlyInstanceOf(RdmaContractException.class);
        assertThat(CallFailures.of("c", new RdmaTimeoutException("m"))).isExactlyInstanceOf(RdmaTimeoutException.class);
        assertThat(CallFailures.of("c", new RdmaRpcException(RpcStatus.CANCELLED, "m")))
                .isExactlyInstanceOf(RdmaRpcException.class)
                .extracting(RdmaRpcException::status)
                .isEqualTo(RpcStatus.CANCELLED);
    }

    @Test
    void shouldVerifyTheContractBeforeTheFirstCall() {
        ServiceContract other = new ServiceContract(Greeter.class.getName(), List.of(), List.of());
        server.export(new ServiceExport(other, List.of()));
        assertThatExceptionOfType(RdmaContractException.class)
                .isThrownBy(greeter::silent)
                .withMessageContaining("the server offers");
        server.acceptAnyContract();
        on(" silent(", args -> null);
        greeter.silent();
    }

    @Test
    void whenAResponseIsMalformedThenItIsRejected() {
        server.handle(method(" length(").id(), request -> request.respond(request.allocate(10)));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> greeter.length("x"))
                .withMessageContaining("cannot read the result of " + Greeter.class.getName() + ".length");
    }

    @Test
    void whenThePollingThreadIsStuckThenTheCallerContinues() {
        AtomicReference<RpcRequest> stuck = new AtomicReference<>();
        server.handle(method(" slow(").id(), stuck::set);
        long start = System.nanoTime();
        assertThatExceptionOfType(RdmaTimeoutException.class)
                .isThrownBy(greeter::slow)
                .withMessageContaining("the polling thread did not end the call at its deadline");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(50L, 5000L);
        // The late response is discarded, and its memory is released.
        stuck.get().respond(codec.method(method(" slow(")).encodeResult(stuck.get(), "late"));
    }

    @Test
    void whenTheCallerIsInterruptedThenTheCallEndsAndTheInterruptIsKept() throws Exception {
        server.handle(method(" silent(").id(), request -> {});
        AtomicReference<RdmaRpcException> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                greeter.silent();
            } catch (RdmaRpcException e) {
                thrown.set(e);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        while (server.connects.get() == 0) {
            Thread.onSpinWait();
        }
        caller.interrupt();
        assertThat(caller.join(Duration.ofSeconds(5))).isTrue();
        assertThat(thrown.get().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(flag.get()).isTrue();
    }

    @Test
    void shouldCompleteFutures() throws Exception {
        on(" later(", args -> "Hello, " + args[0]);
        on(" laterNothing(", args -> null);
        assertThat(greeter.later("Ada").get()).isEqualTo("Hello, Ada");
        assertThat(greeter.later("Bob").get()).isEqualTo("Hello, Bob");
        assertThat(greeter.laterNothing().toCompletableFuture().get()).isNull();
        assertThat(observed).hasSize(3).allMatch(line -> line.endsWith("OK -"));
    }

    @Test
    @DisplayName("a blocking caller runs the event loop, a caller of a future does not")
    void whenACallerBlocksThenTheSessionWaits() throws Exception {
        on(" length(", args -> 3);
        on(" later(", args -> "later");
        greeter.length("Ada");
        assertThat(server.awaitedCalls).hasValue(1);

        greeter.later("Ada").get();
        assertThat(server.awaitedCalls).hasValue(1);
    }

    @Test
    @DisplayName("LT-03 cancelling the future cancels the call")
    void whenAFutureIsCancelledThenSoIsItsCall() {
        AtomicReference<RpcRequest> call = new AtomicReference<>();
        server.handle(method(" later(").id(), call::set);
        on(" length(", args -> 3);
        // Connects, so that the next call is sent immediately.
        greeter.length("Ada");
        CompletableFuture<String> future = greeter.later("Ada");

        future.cancel(true);

        assertThat(call.get().isCancelled()).isTrue();
        assertThat(future).isCancelled();
        assertThat(observed).contains("later at main CANCELLED RdmaRpcException");
        call.get().fail(RpcStatus.CANCELLED, "", "given up");
    }

    @Test
    void shouldFailFuturesLikeCalls() {
        onFail(" later(", RpcStatus.HANDLER_FAILED, "x.Y", "no");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> greeter.later("Ada").get())
                .havingCause()
                .isInstanceOf(RdmaRemoteException.class)
                .withMessageEndingWith(" threw x.Y: no");
        server.close();
        server.endSession();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> greeter.later("Ada").get())
                .havingCause()
                .isInstanceOf(RdmaUnavailableException.class);
    }

    @RdmaService
    interface BadTimeOut {
        @RdmaMethod(timeout = "soon")
        void call();
    }

    @RdmaService
    interface ZeroTimeOut {
        @RdmaMethod(timeout = "0s")
        void call();
    }

    @Test
    void whenATimeoutIsInvalidThenTheMethodIsNamed() {
        for (Class<?> type : List.of(BadTimeOut.class, ZeroTimeOut.class)) {
            assertThatExceptionOfType(RdmaInvalidServiceException.class)
                    .isThrownBy(() -> proxy(type))
                    .withMessageContaining(type.getName() + ".call is not a positive duration")
                    .withMessageContaining("Write it as 500ms or 2s");
        }
    }
}
