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

/** Methods: an echo, one that takes a large request and returns little, and the bytes that the server's polling thread has allocated. */
final class EchoService {

    static final int ALLOCATED = 2;
    static final int TAKE = 3;
    static final int WINDOW = 64;

    private static final Duration CONNECT = Duration.ofSeconds(20);

    /** Either process may be stopped while something else is measured; it is not dead for that. */
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

    /** Answers the request's first bytes: it has been fetched. */
    private static void take(ServedCall call) {
        respond(call, call.memory().get(ValueLayout.JAVA_LONG, call.offset()));
    }

    private static void respond(ServedCall call, long number) {
        MessageBuffer answer = call.response(Long.BYTES);
        answer.segment().set(ValueLayout.JAVA_LONG, 0, number);
        answer.length(Long.BYTES);
        call.respond();
    }

    /**
     * Opens a runtime for either end.
     *
     * @param nic the device
     * @param polling its threads
     * @return to be closed by the caller
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
