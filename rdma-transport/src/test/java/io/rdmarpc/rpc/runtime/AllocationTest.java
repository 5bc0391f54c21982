package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Small calls of byte handlers")
@Timeout(300)
class AllocationTest {

    private static final int METHOD = 5;
    private static final int SIZE = 32;
    private static final int CALLS = 3_000;
    private static final int PASSES = 60;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final ServiceExport SERVICE = new ServiceExport(
            new ServiceContract("bytes", List.of(new ServiceContract.Method(METHOD, "echo")), List.of()),
            List.of(new ServiceExport.Method(
                    METHOD,
                    (BytesHandler) call -> {
                        MessageBuffer response = call.response(call.length());
                        MemorySegment.copy(call.memory(), call.offset(), response.segment(), 0, call.length());
                        response.length(call.length());
                        call.respond();
                    },
                    null)));

    private static final int MAX_ORDINARY_BYTES = 480;

    private static final ServiceExport ORDINARY = new ServiceExport(
            new ServiceContract("ordinary", List.of(new ServiceContract.Method(METHOD, "echo")), List.of()),
            List.of(new ServiceExport.Method(
                    METHOD,
                    request -> {
                        MessageBuffer response = request.allocate(SIZE);
                        MemorySegment.copy(request.message().payload(), 0, response.segment(), 0, SIZE);
                        response.length(SIZE);
                        request.respond(response);
                    },
                    null)));

    /**
     * Takes the minimum of some passes, because the JIT compilers may allocate once when they replace code. The
     * allocations of a call occur in every pass.
     */
    @Test
    @DisplayName("allocate nothing, neither in the engines' threads nor in the caller's")
    void whenWarmThenNothingIsAllocated() {
        try (RdmaRuntime server = Runtimes.open();
                RdmaRuntime client = Runtimes.open()) {
            server.export(SERVICE);
            try (RpcServer listening = Runtimes.listen(server);
                    RpcChannel channel = Runtimes.channel(client, listening)) {
                RpcSession session = channel.session(Runtimes.LONG);
                RpcCall call = session.prepareCall(RpcCall.End.NONE);
                long[] threads = threads();
                long least = Long.MAX_VALUE;
                for (int pass = 0; pass < PASSES && least > 0; pass++) {
                    long before = allocated(threads);
                    echo(call, CALLS);
                    least = Math.min(least, allocated(threads) - before);
                }
                call.close();

                assertThat(least).as("bytes in %d calls", CALLS).isZero();
            }
        }
    }

    /**
     * The objects that the ordinary API returns belong to the application, which may keep them: a buffer and a message
     * at each end, and the request at the server. The engine allocates nothing else.
     */
    @Test
    @DisplayName("of the ordinary API allocate only the objects that the application receives, and little more")
    void whenOrdinaryCallsAreWarmThenOnlyObjectsOfTheApplicationAreAllocated() {
        try (RdmaRuntime server = Runtimes.open();
                RdmaRuntime client = Runtimes.open()) {
            server.export(ORDINARY);
            try (RpcServer listening = Runtimes.listen(server);
                    RpcChannel channel = Runtimes.channel(client, listening)) {
                RpcSession session = channel.session(Runtimes.LONG);
                OneAfterTheOther calls = new OneAfterTheOther(session);
                long[] threads = threads();
                long least = Long.MAX_VALUE;
                for (int pass = 0; pass < PASSES; pass++) {
                    long before = allocated(threads);
                    calls.make(CALLS);
                    least = Math.min(least, allocated(threads) - before);
                }

                System.out.printf("AllocationTest: %,d bytes for an ordinary call%n", least / CALLS);
                assertThat(least / CALLS).as("bytes of a call").isLessThan(MAX_ORDINARY_BYTES);
            }
        }
    }

    /** Calls that start one another on the polling thread. */
    private static final class OneAfterTheOther implements ResponseHandler {

        private final RpcSession session;
        private final AtomicInteger left = new AtomicInteger();

        OneAfterTheOther(RpcSession session) {
            this.session = session;
        }

        void make(int times) {
            left.set(times);
            call();
            while (left.get() > 0) {
                LockSupport.parkNanos(this, 100_000);
            }
        }

        private void call() {
            MessageBuffer request = session.allocate(SIZE);
            request.segment().set(ValueLayout.JAVA_INT, 0, SIZE);
            request.length(SIZE);
            session.call(METHOD, request, Runtimes.LONG.toNanos(), this);
        }

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
            if (left.decrementAndGet() > 0) {
                call();
            }
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            throw new AssertionError("a call failed", failure);
        }
    }

    private static void echo(RpcCall call, int times) {
        for (int i = 0; i < times; i++) {
            MessageBuffer request = call.request(SIZE);
            request.segment().set(ValueLayout.JAVA_INT, 0, i);
            request.length(SIZE);
            MessageView response = call.call(METHOD, Runtimes.LONG.toNanos());
            if (response.memory().get(ValueLayout.JAVA_INT, response.offset()) != i) {
                throw new AssertionError("call " + i + " has the response of another call");
            }
        }
    }

    /** Returns the ids of the engines' threads and of this thread. */
    private static long[] threads() {
        LongStream polling = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rdma-poll-"))
                .mapToLong(Thread::threadId);
        return LongStream.concat(polling, LongStream.of(Thread.currentThread().threadId()))
                .toArray();
    }

    private static long allocated(long[] threads) {
        long bytes = 0;
        for (long thread : threads) {
            bytes += THREADS.getThreadAllocatedBytes(thread);
        }
        return bytes;
    }
}
