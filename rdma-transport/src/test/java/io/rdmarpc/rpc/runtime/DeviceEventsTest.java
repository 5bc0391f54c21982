package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Events of a device reach the caller: device, listener, control thread, engine, caller. A fault script triggers the
 * events.
 */
@DisplayName("A device that fails by a fault script")
@Timeout(120)
class DeviceEventsTest {

    private static final int ECHO = 1;
    private static final int HOLD = 2;
    private static final int SMALL = 32;
    /** One message per packet. */
    private static final int MEDIUM = 3_000;

    private static final int LARGE = 200_000;
    private static final String SCRIPT = "soft.faults.script=";

    private static RpcServer serve(RdmaRuntime server) {
        ServiceContract contract = new ServiceContract(
                "events",
                List.of(new ServiceContract.Method(ECHO, "echo"), new ServiceContract.Method(HOLD, "hold")),
                List.of());
        server.export(new ServiceExport(
                contract,
                List.of(
                        new ServiceExport.Method(ECHO, (BytesHandler) DeviceEventsTest::echo, null),
                        new ServiceExport.Method(HOLD, (BytesHandler) ServedCall::defer, null))));
        return Runtimes.listen(server);
    }

    private static void echo(ServedCall call) {
        MessageBuffer response = call.response(call.length());
        MemorySegment.copy(call.memory(), call.offset(), response.segment(), 0, call.length());
        response.length(call.length());
        call.respond();
    }

    private static RpcCall start(RpcSession session, int method, int length) {
        RpcCall call = session.prepareCall(RpcCall.End.NONE);
        call.request(length).length(length);
        call.start(method, Runtimes.LONG.toNanos());
        return call;
    }

    private static void echo(RpcSession session, int length) {
        try (RpcCall call = start(session, ECHO, length)) {
            Runtimes.await("a response", call::hasEnded);
            assertThat(call.response().length()).isEqualTo(length);
        }
    }

    /** Waits for the failure of a call that only the end of its session can end. */
    private static RdmaRpcException failureOf(RpcCall held) {
        Runtimes.await("the end of a call without a response", held::hasEnded);
        RdmaRpcException failure = catchThrowableOfType(RdmaRpcException.class, held::response);
        held.close();
        return failure;
    }

    /** Starts a call that waits, makes a number of further calls, and returns the failure of the first one. */
    private static RdmaRpcException failureAfterCalls(RpcSession session, int length, int calls) {
        RpcCall held = start(session, HOLD, SMALL);
        for (int i = 0; i < calls; i++) {
            start(session, ECHO, length).close();
        }
        return failureOf(held);
    }

    @Test
    @DisplayName("FL-09 FL-16 at the server ends its sessions at once, and new ones are rejected with a reason")
    void whenTheServersDeviceFailsThenItsSessionsEnd() {
        try (RdmaRuntime server = Runtimes.open(SCRIPT + "device_fatal 2 UD");
                RdmaRuntime client = Runtimes.open("soft.shared-memory.enabled=false");
                RpcServer listening = serve(server);
                RpcChannel channel = Runtimes.channel(client, listening)) {
            RdmaRpcException failure = failureAfterCalls(channel.session(Runtimes.LONG), SMALL, 4);

            assertThat(failure).isInstanceOf(RdmaUnavailableException.class).hasMessageContaining("DEVICE_FATAL");
            assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
            RdmaRpcException rejected =
                    catchThrowableOfType(RdmaRpcException.class, () -> channel.session(Duration.ofMillis(500)));
            assertThat(rejected).hasMessageContaining("failed: DEVICE_FATAL at the server");
        }
    }

    @Test
    @DisplayName("FL-09 FL-16 at the client ends its sessions at once")
    void whenTheClientsDeviceFailsThenItsSessionsEnd() {
        try (RdmaRuntime server = Runtimes.open("soft.shared-memory.enabled=false");
                RdmaRuntime client = Runtimes.open(SCRIPT + "device_fatal 3 UD");
                RpcServer listening = serve(server);
                RpcChannel channel = Runtimes.channel(client, listening)) {
            RdmaRpcException failure = failureAfterCalls(channel.session(Runtimes.LONG), SMALL, 4);

            assertThat(failure).isInstanceOf(RdmaUnavailableException.class).hasMessageContaining("DEVICE_FATAL");
            Runtimes.await(
                    "the server to be notified", () -> server.statistics().serverSessions() == 0);
        }
    }

    @Test
    @DisplayName("FL-09 FL-17 whose port goes down ends its sessions; no new ones can open")
    void whenThePortGoesDownThenSessionsEnd() {
        try (RdmaRuntime server = Runtimes.open("soft.shared-memory.enabled=false");
                RdmaRuntime client = Runtimes.open(SCRIPT + "port_err 3 UD");
                RpcServer listening = serve(server);
                RpcChannel channel = Runtimes.channel(client, listening)) {
            RdmaRpcException failure = failureAfterCalls(channel.session(Runtimes.LONG), SMALL, 4);

            assertThat(failure).isInstanceOf(RdmaUnavailableException.class).hasMessageContaining("is down");
            RdmaRpcException rejected =
                    catchThrowableOfType(RdmaRpcException.class, () -> channel.session(Duration.ofMillis(500)));
            assertThat(rejected)
                    .hasMessageContaining("is down")
                    .hasMessageEndingWith(
                            "Check this host's device: cable, switch port and driver. Calls continue when its port is active again");
        }
    }

    @Test
    @DisplayName("FL-09 whose port goes down and is active again has sessions again")
    void whenThePortIsActiveAgainThenThereAreSessionsAgain() {
        try (RdmaRuntime server = Runtimes.open("soft.shared-memory.enabled=false");
                RdmaRuntime client = Runtimes.open(SCRIPT + "port_err 3 UD; port_active 4 UD");
                RpcServer listening = serve(server);
                RpcChannel channel = Runtimes.channel(client, listening)) {
            // Those two packets leave together: three calls start after the second response.
            RdmaRpcException failure = failureAfterCalls(channel.session(Runtimes.LONG), MEDIUM, 7);

            assertThat(failure).isInstanceOf(RdmaUnavailableException.class).hasMessageContaining("is down");
            echo(channel.session(Runtimes.LONG), SMALL);
        }
    }

    @Test
    @DisplayName(
            "FL-09 FL-16 whose datagram queue pair fails ends its sessions, recovers the queue pair, and continues")
    void whenTheDatagramQueuePairFailsThenItIsRecovered() {
        try (RdmaRuntime server = Runtimes.open("soft.shared-memory.enabled=false");
                RdmaRuntime client = Runtimes.open(SCRIPT + "qp_fatal 3 UD");
                RpcServer listening = serve(server);
                RpcChannel channel = Runtimes.channel(client, listening)) {
            RdmaRpcException failure = failureAfterCalls(channel.session(Runtimes.LONG), SMALL, 4);

            assertThat(failure)
                    .isInstanceOf(RdmaUnavailableException.class)
                    .hasMessageContaining("the datagram queue pair");
            echo(channel.session(Runtimes.LONG), SMALL);
        }
    }

    @Test
    @DisplayName("FL-09 FL-11 whose queue pair of one session fails ends that session; another one continues")
    void whenTheQueuePairOfASessionFailsThenOnlyThatSessionEnds() {
        try (RdmaRuntime server = Runtimes.open(SCRIPT + "qp_fatal 1 READ");
                RdmaRuntime client = Runtimes.open("soft.shared-memory.enabled=false");
                RpcServer listening = serve(server);
                RpcChannel one = Runtimes.channel(client, listening);
                RpcChannel other = Runtimes.channel(client, listening)) {
            RpcSession bystander = other.session(Runtimes.LONG);
            RpcCall waiting = start(bystander, HOLD, SMALL);
            RdmaRpcException failure = failureAfterCalls(one.session(Runtimes.LONG), LARGE, 1);

            assertThat(failure).isInstanceOf(RdmaUnavailableException.class);
            echo(bystander, LARGE);
            assertThat(waiting.hasEnded()).isFalse();
            waiting.close();
        }
    }
}
