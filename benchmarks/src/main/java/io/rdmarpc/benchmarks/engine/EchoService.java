package io.rdmarpc.benchmarks.engine;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.HeartbeatConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;

/**
 * The service, with three methods. One is an echo, and one receives a large request and returns 8 bytes. The third
 * returns how many bytes the server's polling thread has allocated.
 */
final class EchoService {

    static final int ALLOCATED = 2;
    static final int TAKE = 3;
    static final int WINDOW = 64;

    private static final Duration CONNECT = Duration.ofSeconds(20);

    /** Session timeout, long enough that a process may be stopped while another one is measured. */
    private static final Duration STOPPED = Duration.ofMinutes(10);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private EchoService() {}

    static ServiceExport export() {
        List<ServiceContract.Method> methods = List.of(
                new ServiceContract.Method(EchoHandler.ECHO, "echo"),
                new ServiceContract.Method(ALLOCATED, "allocated"),
                new ServiceContract.Method(TAKE, "take"));
        return new ServiceExport(
                new ServiceContract("benchmark", methods, List.of()),
                List.of(
                        method(EchoHandler.ECHO, EchoHandler::echo),
                        method(ALLOCATED, EchoService::allocated),
                        method(TAKE, EchoService::take)));
    }

    private static ServiceExport.Method method(int id, BytesHandler handler) {
        return new ServiceExport.Method(id, handler, null);
    }

    private static void allocated(ServedCall call) {
        respond(call, THREADS.getCurrentThreadAllocatedBytes());
    }

    /** Responds with the first bytes of the request, after the engine has fetched all of it. */
    private static void take(ServedCall call) {
        respond(call, call.memory().get(ValueLayout.JAVA_LONG, call.offset()));
    }

    private static void respond(ServedCall call, long number) {
        MessageBuffer response = call.response(Long.BYTES);
        response.segment().set(ValueLayout.JAVA_LONG, 0, number);
        response.length(Long.BYTES);
        call.respond();
    }

    /**
     * Opens a runtime for either end.
     *
     * @param nic configuration of the device
     * @param polling configuration of the polling threads
     * @return the runtime, which the caller closes
     */
    static RdmaRuntime open(NicConfig nic, PollingConfig polling) {
        return RdmaRuntime.open(nic, config(), polling);
    }

    private static RpcConfig config() {
        return RpcConfig.DEFAULTS.toBuilder()
                .maxInFlight(WINDOW)
                .connectTimeout(CONNECT)
                .heartbeat(new HeartbeatConfig(HeartbeatConfig.DEFAULTS.interval(), STOPPED))
                .build();
    }
}
