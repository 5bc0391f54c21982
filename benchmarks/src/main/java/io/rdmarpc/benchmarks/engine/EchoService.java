package io.rdmarpc.benchmarks.engine;

import com.sun.management.ThreadMXBean;
import io.rdmarpc.benchmarks.EchoHandler;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

/** What is called: an echo, and the bytes that the server's polling thread has allocated so far. */
final class EchoService {

    static final int ALLOCATED = 2;
    static final int WINDOW = 64;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private EchoService() {}

    static ServiceExport export() {
        List<ServiceContract.Method> methods = List.of(
                new ServiceContract.Method(EchoHandler.ECHO, "echo"),
                new ServiceContract.Method(ALLOCATED, "allocated"));
        return new ServiceExport(
                new ServiceContract("benchmark", methods, List.of()),
                List.of(method(EchoHandler.ECHO, EchoHandler::echo), method(ALLOCATED, EchoService::allocated)));
    }

    private static ServiceExport.Method method(int id, BytesHandler handler) {
        return new ServiceExport.Method(id, handler, null);
    }

    private static void allocated(ServedCall call) {
        MessageBuffer answer = call.response(Long.BYTES);
        answer.segment().set(ValueLayout.JAVA_LONG, 0, THREADS.getCurrentThreadAllocatedBytes());
        answer.length(Long.BYTES);
        call.respond();
    }

    /** A runtime on the software RNIC over shared memory. */
    static RdmaRuntime open(PollingConfig polling) {
        Map<String, String> options = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
        return RdmaRuntime.open(
                NicConfig.DEFAULTS.withProvider("soft", options), RpcConfig.DEFAULTS.withWindow(WINDOW), polling);
    }
}
