package io.rdmarpc.benchmarks;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.util.List;

/** What benchmarks of the engine call: it answers bytes with the same bytes. */
public final class EchoHandler {

    /** The method's number. */
    public static final int ECHO = 1;

    private EchoHandler() {}

    /**
     * Makes a service that has this method only.
     *
     * @param handler what answers
     * @return the service
     */
    public static ServiceExport export(BytesHandler handler) {
        ServiceContract contract =
                new ServiceContract("benchmark", List.of(new ServiceContract.Method(ECHO, "echo")), List.of());
        return new ServiceExport(contract, List.of(new ServiceExport.Method(ECHO, handler, null)));
    }

    /**
     * Copies the request into the answer: the only copy that the handler makes.
     *
     * @param call answered when this returns
     */
    public static void echo(ServedCall call) {
        int length = call.length();
        MessageBuffer answer = call.response(length);
        answer.copyFrom(call.memory(), call.offset(), length);
        call.respond();
    }
}
