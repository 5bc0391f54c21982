package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A runtime that is closed from within")
@Timeout(120)
class CloseFromHandlerTest {

    private static final ServiceContract.Method CLOSE = new ServiceContract.Method(4711, "close");

    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService platform = Executors.newSingleThreadExecutor();
    private final RdmaRuntime client = Runtimes.open();
    private final RdmaRuntime server = Runtimes.open();
    private final CountDownLatch returned = new CountDownLatch(1);

    @AfterEach
    void close() throws InterruptedException {
        assertThat(returned.await(LONG.toMillis(), TimeUnit.MILLISECONDS))
                .as("the code that closed it continued")
                .isTrue();
        client.close();
        server.close();
        virtual.close();
        platform.close();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
        assertThat(server.registeredBytes()).isZero();
        assertThat(client.registeredBytes()).isZero();
        assertThat(server.isRunning()).isFalse();
    }

    private RpcSession serve(@Nullable Executor executor, RequestHandler handler) {
        // If close waited for its own polling thread, no call here would end in time.
        server.threadStopLimit(Duration.ofMinutes(10));
        client.threadStopLimit(Duration.ofMinutes(10));
        server.export(new ServiceExport(
                new ServiceContract("test.Closing", List.of(CLOSE), List.of()),
                List.of(new ServiceExport.Method(CLOSE.id(), handler, executor))));
        RpcServer listening = Runtimes.listen(server);
        RpcChannel channel = Runtimes.channel(client, listening);
        return channel.session(LONG);
    }

    private void closeFrom(@Nullable Executor executor) {
        RpcSession session = serve(executor, request -> {
            try (InboundMessage _ = request.message()) {
                server.close();
                request.respond(request.allocate(0));
            } finally {
                returned.countDown();
            }
        });
        CompletableFuture<byte[]> call = Echo.call(session, CLOSE.id(), new byte[8], LONG);

        Runtimes.await("an end of the call", call::isDone);
    }

    @Test
    @DisplayName("by an inline handler: the handler continues, and the runtime closes when it has returned")
    void whenAnInlineHandlerClosesItThenTheHandlerContinues() {
        closeFrom(null);
    }

    @Test
    @DisplayName("by a handler on a platform thread")
    void whenAHandlerOnAWorkerClosesItThenTheHandlerContinues() {
        closeFrom(platform);
    }

    @Test
    @DisplayName("by a handler on a virtual thread")
    void whenAHandlerOnAVirtualThreadClosesItThenTheHandlerContinues() {
        closeFrom(virtual);
    }

    @Test
    @DisplayName("by an inline handler that stops it first, as a container does")
    void whenAnInlineHandlerStopsAndClosesItThenTheHandlerContinues() {
        RpcSession session = serve(null, request -> {
            try (InboundMessage _ = request.message()) {
                server.stop(LONG);
                server.close();
                request.respond(request.allocate(0));
            } finally {
                returned.countDown();
            }
        });
        CompletableFuture<byte[]> call = Echo.call(session, CLOSE.id(), new byte[8], LONG);

        assertThat(Runtimes.get(call))
                .as("the handler's own call has a response")
                .isEmpty();
    }

    @Test
    @DisplayName("by a callback of a response on the polling thread")
    void whenACallbackClosesItThenTheCallbackContinues() {
        RpcSession session = serve(virtual, request -> {
            try (InboundMessage _ = request.message()) {
                request.respond(request.allocate(0));
            }
        });
        MessageBuffer request = session.allocate(8);
        request.length(8);
        session.call(CLOSE.id(), request, LONG.toNanos(), new Closing(client));
    }

    @Test
    @DisplayName("by a callback of a failed call while the runtime stops: it closes after the stop")
    void whenItIsClosedWhileItStopsThenItIsClosedAfterwards() {
        RpcSession session = serve(virtual, request -> {
            try (InboundMessage _ = request.message()) {
                assertThat(returned.await(LONG.toMillis(), TimeUnit.MILLISECONDS))
                        .isTrue();
                request.respond(request.allocate(0));
            }
        });
        MessageBuffer request = session.allocate(8);
        request.length(8);
        session.call(CLOSE.id(), request, LONG.toNanos(), new Closing(client));
        Runtimes.await("the call to arrive", () -> server.executingCalls() > 0);

        client.stop(Duration.ZERO);
        client.close();

        assertThat(client.registeredBytes()).isZero();
    }

    @Test
    @DisplayName("by the thread that runs its engines")
    void whenTheRunnerOfItsEnginesClosesItThenTheRunnerContinues() {
        RpcSession session = serve(virtual, request -> {
            try (InboundMessage _ = request.message()) {
                request.respond(request.allocate(0));
            }
        });
        assertThat(session.callsInFlight()).isZero();
        try (EngineInvoker invoker = client.invoker(LONG)) {
            int _ = invoker.invoke();
            client.close();
        } finally {
            returned.countDown();
        }
    }

    /** Closes a runtime when a call ends. */
    private final class Closing implements ResponseHandler {

        private final RdmaRuntime runtime;

        Closing(RdmaRuntime runtime) {
            this.runtime = runtime;
        }

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
            end();
        }

        @Override
        public void onFailure(RdmaRpcException reason) {
            end();
        }

        private void end() {
            runtime.close();
            returned.countDown();
        }
    }
}
