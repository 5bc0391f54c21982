package io.rdmarpc.rpc;

import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A service that a server offers.
 *
 * @param contract what peers must agree on
 * @param methods how each method runs
 */
public record ServiceExport(ServiceContract contract, List<Method> methods) {

    /**
     * Copies the list.
     *
     * @param contract what peers must agree on
     * @param methods how each method runs
     */
    public ServiceExport {
        methods = List.copyOf(methods);
    }

    /**
     * One method.
     *
     * @param id as in the contract
     * @param handler runs it
     * @param executor where it runs, null for the polling thread: then it must be short and never block
     */
    public record Method(
            int id, RequestHandler handler, @Nullable Executor executor) {}
}
