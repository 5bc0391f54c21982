package io.rdmarpc.rpc;

import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A service that a server offers.
 *
 * @param contract the contract that peers must agree on
 * @param methods the handlers of its methods
 */
public record ServiceExport(ServiceContract contract, List<Method> methods) {

    /**
     * Copies the list.
     *
     * @param contract the contract that peers must agree on
     * @param methods the handlers of its methods
     */
    public ServiceExport {
        methods = List.copyOf(methods);
    }

    /**
     * One method.
     *
     * @param id the method's id in the contract
     * @param handler runs the method
     * @param executor runs the handler. Null for the thread that runs the event loop: the handler must then be short
     *     and never block
     */
    public record Method(
            int id, RequestHandler handler, @Nullable Executor executor) {}
}
