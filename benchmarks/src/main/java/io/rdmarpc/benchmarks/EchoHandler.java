package io.rdmarpc.benchmarks;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.util.List;

/** The service method that benchmarks of the engine call: it returns the request's bytes. */
public final class EchoHandler {

    /** Number of the echo method. */
    public static final int ECHO = 1;

    private EchoHandler() {}

    /**
     * Creates a service that has only the echo method.
     *
     * @param handler handler of the method
     * @return the service
     */
    public static ServiceExport export(BytesHandler handler) {
        ServiceContract contract =
                new ServiceContract("benchmark", List.of(new ServiceContract.Method(ECHO, "echo")), List.of());
        return new ServiceExport(contract, List.of(new ServiceExport.Method(ECHO, handler, null)));
    }

    /**
     * Copies the request into the response. This is the handler's only copy.
     *
     * @param call the call, which has its response when this method returns
     */
    public static void echo(ServedCall call) {
        int length = call.length();
        MessageBuffer answer = call.response(length);
        answer.copyFrom(call.memory(), call.offset(), length);
        call.respond();
    }
}
