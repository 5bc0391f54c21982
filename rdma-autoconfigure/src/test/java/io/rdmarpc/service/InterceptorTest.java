package io.rdmarpc.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.contract.ServiceDescription;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(20)
@DisplayName("Interceptors and the context of a call")
class InterceptorTest {

    @RdmaService
    interface Greeter {

        String greet(String name);

        @RdmaMethod(timeout = "1s")
        String hurry(String name);

        CompletableFuture<String> later(String name);

        void fail();

        int length(String name);

        Mono<String> mono(String name);
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> laterResult = new CompletableFuture<>();

    private final Greeter bean = new Greeter() {
        @Override
        public String greet(String name) {
            ServerCallContext call = Objects.requireNonNull(ServerCallContext.current());
            log.add("bean " + call.metadata() + " from " + call.peer().address());
            return "hello " + name;
        }

        @Override
        public String hurry(String name) {
            return greet(name);
        }

        @Override
        public CompletableFuture<String> later(String name) {
            return laterResult;
        }

        @Override
        public void fail() {
            throw new IllegalStateException("injected failure");
        }

        @Override
        public Mono<String> mono(String name) {
            return Mono.just("hello " + name);
        }

        @Override
        public int length(String name) {
            return name.length();
        }
    };

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(pair.channel.messages.open()).isZero();
    }

    private RdmaClientInterceptor client(String name) {
        return (call, next) -> {
            log.add(name + " before " + call.method().name());
            call.onEnd((status, failure) -> log.add(name + " end " + status));
            try {
                return next.proceed();
            } finally {
                log.add(name + " after");
            }
        };
    }

    private RdmaServerInterceptor server(String name) {
        return (call, next) -> {
            log.add(name + " before " + call.method().name() + " " + List.of(call.arguments()));
            call.onEnd((status, failure) -> log.add(name + " end " + status));
            try {
                return next.proceed();
            } finally {
                log.add(name + " after");
            }
        };
    }

    @Test
    void whenThereAreSeveralThenTheFirstIsOutermostAndInnerOnesSeeTheEndFirst() {
        pair.clientInterceptors.addAll(List.of(client("c1"), client("c2")));
        pair.serverInterceptors.addAll(List.of(server("s1"), server("s2")));

        assertThat(pair.connect(Greeter.class, bean).greet("Ada")).isEqualTo("hello Ada");

        assertThat(log)
                .containsExactly(
                        "c1 before greet",
                        "c2 before greet",
                        "s1 before greet [Ada]",
                        "s2 before greet [Ada]",
                        "bean {} from loopback",
                        "s2 after",
                        "s1 after",
                        "s2 end OK",
                        "s1 end OK",
                        "c2 end OK",
                        "c1 end OK",
                        "c2 after",
                        "c1 after");
    }

    @Test
    void whenAMethodReturnsAFutureThenTheCallEndsWithIt() throws Exception {
        pair.clientInterceptors.add(client("c"));
        pair.serverInterceptors.add(server("s"));

        Greeter greeter = pair.connect(Greeter.class, bean);
        greeter.greet("connected");
        log.clear();

        CompletableFuture<String> future = greeter.later("Ada");

        assertThat(log).containsExactly("c before later", "s before later [Ada]", "s after", "c after");
        log.clear();
        laterResult.complete("hello");

        assertThat(future.get()).isEqualTo("hello");
        assertThat(log).containsExactlyInAnyOrder("s end OK", "c end OK");
    }

    @Test
    void whenTheMethodThrowsThenBothSidesAreNotified() {
        pair.clientInterceptors.add(client("c"));
        pair.serverInterceptors.add(server("s"));
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatExceptionOfType(RdmaRemoteException.class).isThrownBy(greeter::fail);

        assertThat(log).contains("s end HANDLER_FAILED", "c end HANDLER_FAILED");
    }

    @Test
    void whenAClientSetsMetadataThenTheServerReceivesIt() {
        pair.clientInterceptors.add((call, next) -> {
            call.metadata().put("tenant", "Zürich");
            return next.proceed();
        });

        assertThat(pair.connect(Greeter.class, bean).greet("Ada")).isEqualTo("hello Ada");

        assertThat(log).containsExactly("bean {tenant=Zürich} from loopback");
    }

    @Test
    void whenArgumentsOrResultAreReplacedThenTheReplacementsAreUsed() {
        pair.clientInterceptors.add((call, next) -> next.proceed() + "!");
        pair.serverInterceptors.add((call, next) -> {
            call.arguments()[0] = "Grace";
            return next.proceed();
        });

        assertThat(pair.connect(Greeter.class, bean).greet("Ada")).isEqualTo("hello Grace!");
    }

    @Test
    void whenAServerInterceptorRejectsThenTheBeanIsNotCalledAndTheCallerGetsStatusAndMessage() {
        pair.serverInterceptors.add((call, next) -> {
            throw new RdmaStatusException(
                    RpcStatus.PERMISSION_DENIED, "not for " + call.peer().address());
        });
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> greeter.greet("Ada"))
                .withMessageEndingWith("not for loopback")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
        assertThat(log).isEmpty();
    }

    @Test
    void whenAServerInterceptorSendsARetryHintThenTheCallerReceivesIt() {
        pair.serverInterceptors.add((call, next) -> {
            throw new RdmaStatusException(RpcStatus.OVERLOADED, "later", Duration.ofMillis(70));
        });
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatExceptionOfType(RdmaOverloadedException.class)
                .isThrownBy(() -> greeter.greet("Ada"))
                .satisfies(e -> assertThat(e.retryAfter()).isEqualTo(Duration.ofMillis(70)));
    }

    @Test
    void whenAClientInterceptorThrowsThenNothingIsSentAndListenersAreNotified() {
        pair.clientInterceptors.addAll(List.of(client("c"), (call, next) -> {
            throw new IllegalArgumentException("not today");
        }));
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> greeter.greet("Ada"))
                .withMessage("not today");
        assertThat(log).containsExactly("c before greet", "c after", "c end CANCELLED");
        assertThat(pair.channel.connects).hasValue(0);
    }

    @Test
    void whenAnInterceptorReturnsAValueThenTheCallEnds() {
        pair.clientInterceptors.addAll(List.of(client("c"), (call, next) -> "from a cache"));

        assertThat(pair.connect(Greeter.class, bean).greet("Ada")).isEqualTo("from a cache");
        assertThat(log).containsExactly("c before greet", "c after", "c end OK");
        assertThat(pair.channel.connects).hasValue(0);
    }

    @Test
    void whenAnInterceptorReturnsAFutureThenTheCallEndsWithIt() {
        CompletableFuture<String> cached = new CompletableFuture<>();
        pair.clientInterceptors.addAll(List.of(client("c"), (call, next) -> cached));

        CompletableFuture<String> future = pair.connect(Greeter.class, bean).later("Ada");

        assertThat(log).containsExactly("c before later", "c after");
        cached.completeExceptionally(new RdmaRpcException(RpcStatus.UNAVAILABLE, "not in the cache"));
        assertThat(future).isCompletedExceptionally();
        assertThat(log).containsExactly("c before later", "c after", "c end UNAVAILABLE");
    }

    @Test
    void whenAnInterceptorReturnsAMonoThenTheCallEndsWithIt() {
        pair.clientInterceptors.addAll(List.of(client("c"), (call, next) -> Mono.just("from a cache")));

        assertThat(pair.connect(Greeter.class, bean).mono("Ada").block()).isEqualTo("from a cache");
        assertThat(log).containsExactly("c before mono", "c after", "c end OK");
    }

    @Test
    void whenAnInterceptorReturnsNullForAPrimitiveThenTheCallFailsWithAMessage() {
        pair.clientInterceptors.add((call, next) -> null);
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatIllegalStateException()
                .isThrownBy(() -> greeter.length("Ada"))
                .withMessageContaining("null for")
                .withMessageContaining("Greeter.length, which returns a primitive int");
    }

    @Test
    void whenAServerInterceptorReturnsNullForAPrimitiveThenTheCallerGetsAMessage() {
        pair.serverInterceptors.add((call, next) -> null);
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> greeter.length("Ada"))
                .withMessageContaining("the value of a primitive type is null")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INTERNAL));
    }

    @Test
    void whenAPrimitiveArgumentIsReplacedByNullThenNothingIsSent() {
        pair.clientInterceptors.add((call, next) -> {
            call.arguments()[0] = null;
            return next.proceed();
        });
        Counter counter = pair.connect(Counter.class, value -> value + 1);

        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> counter.next(1))
                .withMessageContaining("the value of a primitive type is null");
    }

    @RdmaService
    interface Counter {

        int next(int value);
    }

    @Test
    void whenMetadataIsInvalidThenTheCallIsRejectedAndTheSessionStaysOpen() {
        Greeter greeter = pair.connect(Greeter.class, bean);
        greeter.greet("Ada");
        RpcSession session = pair.channel.session(Duration.ofSeconds(1));
        MessageBuffer request = session.allocate(100);
        request.metadata(8).fill((byte) 0xEE);
        List<RpcStatus> ends = new CopyOnWriteArrayList<>();

        session.call(greetId(), request, Duration.ofSeconds(1).toNanos(), new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                response.close();
                ends.add(RpcStatus.OK);
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                ends.add(failure.status());
            }
        });

        assertThat(ends).containsExactly(RpcStatus.INVALID_REQUEST);
        assertThat(greeter.greet("Ada")).isEqualTo("hello Ada");
    }

    private static int greetId() {
        return ServiceDescription.of(Greeter.class).calls().stream()
                .filter(method -> method.name().equals("greet"))
                .findFirst()
                .orElseThrow()
                .id();
    }

    @Test
    void whenAListenerThrowsThenTheCallIsNotAffected() {
        pair.clientInterceptors.add((call, next) -> {
            call.onEnd((status, failure) -> {
                throw new IllegalStateException("a listener");
            });
            return next.proceed();
        });

        assertThat(pair.connect(Greeter.class, bean).greet("Ada")).isEqualTo("hello Ada");
    }

    @Test
    void whenAServerMakesACallThenItsDeadlineIsAtMostThatOfItsCaller() throws Exception {
        CompletableFuture<Duration> left = new CompletableFuture<>();
        LoopbackPair other = new LoopbackPair();
        other.serverInterceptors.add((call, next) -> {
            left.complete(call.remaining());
            return next.proceed();
        });
        Greeter inner = other.connect(Greeter.class, bean);
        pair.serverInterceptors.add((call, next) -> inner.greet("nested"));
        Greeter outer = pair.connect(Greeter.class, bean);

        assertThat(outer.hurry("Ada")).isEqualTo("hello nested");
        assertThat(left.get()).isLessThan(Duration.ofSeconds(1)).isPositive();
    }

    @Test
    void whenACallerHasOptionsThenTheyApplyOnlyInside() {
        List<Duration> left = new CopyOnWriteArrayList<>();
        pair.serverInterceptors.add((call, next) -> {
            left.add(call.remaining());
            return next.proceed();
        });
        Greeter greeter = pair.connect(Greeter.class, bean);

        CallOptions.metadata("tenant", "acme").timeout(Duration.ofMinutes(1)).run(() -> greeter.greet("Ada"));
        greeter.greet("Ada");

        assertThat(log).containsExactly("bean {tenant=acme} from loopback", "bean {} from loopback");
        assertThat(left.getFirst()).isGreaterThan(Duration.ofSeconds(5));
        assertThat(left.getLast()).isLessThan(Duration.ofSeconds(5));
        assertThat(CallOptions.current()).isNull();
        assertThatIllegalArgumentException().isThrownBy(() -> CallOptions.within(Duration.ZERO));
    }

    @Test
    void whenMetadataIsTooLongThenNothingIsSentAndTheCallFails() {
        Greeter greeter = pair.connect(Greeter.class, bean);

        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(
                        () -> CallOptions.metadata("long", "x".repeat(9_000)).run(() -> greeter.greet("Ada")))
                .withMessageContaining("8192");
        assertThat(log).isEmpty();
    }

    @Test
    void whenNoCallIsServedThenThereIsNoCurrentCall() throws ExecutionException, InterruptedException {
        assertThat(ServerCallContext.current()).isNull();
        assertThat(CompletableFuture.supplyAsync(ServerCallContext::current).get())
                .isNull();
    }
}
