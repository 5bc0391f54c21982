package io.rdmarpc.service.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.TestBuffers;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.ClientCallContext;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.RdmaStatusException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
@DisplayName("Calls that a stopping server did not run")
class ResendTest {

    @RdmaService
    interface Till {

        int book(String item);

        CompletableFuture<Integer> bookLater(String item);

        @RdmaMethod(timeout = "100ms")
        CompletableFuture<Integer> tryLater(String item);

        @RdmaMethod(oneWay = true)
        void tell(String item);

        @RdmaMethod(timeout = "100ms")
        int bookSoon(String item);

        @RdmaMethod(timeout = "100ms", idempotent = true, backoff = "1ms")
        int count();
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    private final Till bean = new Till() {
        @Override
        public int book(String item) {
            assertThat(item).isEqualTo("bolt");
            return runs.incrementAndGet();
        }

        @Override
        public CompletableFuture<Integer> bookLater(String item) {
            return CompletableFuture.completedFuture(book(item));
        }

        @Override
        public CompletableFuture<Integer> tryLater(String item) {
            return bookLater(item);
        }

        @Override
        public void tell(String item) {
            book(item);
        }

        @Override
        public int bookSoon(String item) {
            return book(item);
        }

        @Override
        public int count() {
            runs.incrementAndGet();
            pair.channel.stoppingFor.set(Integer.MAX_VALUE);
            throw new RdmaStatusException(RpcStatus.UNAVAILABLE, "who knows");
        }
    };

    private Till client() {
        pair.clientInterceptors.add(new RdmaClientInterceptor() {
            @Override
            public Object intercept(ClientCallContext call, CallContext.Next next) throws Throwable {
                calls.incrementAndGet();
                return next.proceed();
            }
        });
        return pair.connect(Till.class, bean);
    }

    @Test
    void whenACallWasNotRunThenItIsSentAgainAlthoughItIsNotIdempotent() {
        Till till = client();
        pair.channel.stoppingFor.set(5);

        assertThat(till.book("bolt")).isOne();

        assertThat(pair.channel.stoppingFor).hasValue(0);
        assertThat(calls).as("calls that interceptors have seen").hasValue(1);
    }

    @Test
    void whenAFutureWasNotRunThenItIsSentAgain() throws Exception {
        Till till = client();
        pair.channel.stoppingFor.set(5);

        assertThat(till.bookLater("bolt").get()).isOne();

        assertThat(calls).hasValue(1);
    }

    @Test
    void whenAOneWayCallWasNotRunThenItIsSentAgainAndRunsOnce() {
        Till till = client();
        pair.channel.stoppingFor.set(3);

        till.tell("bolt");

        assertThat(runs).hasValue(1);
        assertThat(calls).hasValue(1);
    }

    @Test
    void whenNoServerRunsTheCallInTimeThenTheFailureSaysThatItDidNotRun() {
        Till till = client();
        pair.channel.stoppingFor.set(Integer.MAX_VALUE);

        assertThatExceptionOfType(RdmaNotExecutedException.class)
                .isThrownBy(() -> till.bookSoon("bolt"))
                .withMessageContaining("bookSoon")
                .withMessageContaining("the server is stopping");

        assertThat(runs).hasValue(0);
        assertThat(Integer.MAX_VALUE - pair.channel.stoppingFor.get())
                .as("pauses grow, so that the client does not retry in a tight loop")
                .isBetween(3, 40);
    }

    @Test
    void whenTheTimeIsOverBeforeALaterAttemptIsSentThenTheFailureIsThatOfTheEarlierOne() {
        Till till = client();
        pair.channel.stoppingFor.set(Integer.MAX_VALUE);
        AtomicInteger attempts = new AtomicInteger();
        pair.channel.beforeAllocation = () -> {
            if (attempts.incrementAndGet() == 2) {
                LockSupport.parkNanos(Duration.ofMillis(150).toNanos());
            }
        };

        assertThatExceptionOfType(RdmaNotExecutedException.class)
                .isThrownBy(() -> till.bookSoon("bolt"))
                .withMessageContaining("the server is stopping");

        assertThat(attempts).hasValue(2);
    }

    @Test
    void whenAnEarlierAttemptMayHaveRunThenTheFailureSaysSo() {
        Till till = client();

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(till::count)
                .satisfies(e -> assertThat(e).isNotInstanceOf(RdmaNotExecutedException.class))
                .withMessageContaining("an earlier attempt may have run");

        assertThat(runs).hasValue(1);
    }

    @Test
    void whenAFutureIsCancelledThenItIsNotSentAgain() {
        Till till = client();
        pair.channel.stoppingFor.set(Integer.MAX_VALUE);
        CompletableFuture<Integer> later = till.bookLater("bolt");

        assertThat(later.cancel(false)).isTrue();
        pair.channel.stoppingFor.set(0);

        assertThat(later).isCancelled();
        assertThat(runs).hasValue(0);
    }

    @Test
    void whenAFutureIsNotRunInTimeThenTheFailureSaysThatItDidNotRun() {
        Till till = client();
        pair.channel.stoppingFor.set(Integer.MAX_VALUE);

        CompletableFuture<Integer> later = till.tryLater("bolt");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(later::get)
                .withCauseInstanceOf(RdmaNotExecutedException.class);
    }

    @Test
    void shouldPauseLongerBeforeEachResendButNotBeforeTheFirst() {
        assertThat(Resends.pauseNanos(0)).isZero();
        assertThat(Resends.pauseNanos(1)).isBetween(500_000L, 1_500_000L);
        assertThat(Resends.pauseNanos(1_000)).isBetween(32_000_000L, 96_000_000L);
        assertThat(Duration.ofNanos(Resends.pauseNanos(Integer.MAX_VALUE))).isLessThan(Duration.ofMillis(100));
    }

    @RdmaService
    interface Blobs {

        int put(MessageBuffer blob);
    }

    @Test
    void whenTheArgumentIsABufferThenTheCallIsNotSentAgain() {
        Blobs blobs = pair.connect(Blobs.class, blob -> runs.incrementAndGet());
        TestBuffers buffers = new TestBuffers();
        pair.channel.stoppingFor.set(1);

        assertThatExceptionOfType(RdmaNotExecutedException.class).isThrownBy(() -> blobs.put(buffers.allocate(10)));

        assertThat(runs).hasValue(0);
    }
}
