package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Verifies each contract once with a server and keeps the results. Thread-safe. */
final class ContractVerification {

    private final ClientConnection connection;
    private final Map<ServiceContract, CompletableFuture<String>> results = new ConcurrentHashMap<>();

    ContractVerification(ClientConnection connection) {
        this.connection = connection;
    }

    /** Returns a description of the differences, empty if there are none. */
    String await(ServiceContract contract, Duration limit) {
        CompletableFuture<String> result = results.computeIfAbsent(contract, this::verify);
        try {
            return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaRpcException(RpcStatus.CANCELLED, "interrupted while waiting for the server's contract", e);
        } catch (ExecutionException e) {
            results.remove(contract, result);
            Throwable why = e.getCause() == null ? e : e.getCause();
            throw new RdmaUnavailableException(
                    "the contract of service " + contract.name() + " could not be verified with " + connection.peer()
                            + ": " + why.getMessage(),
                    why);
        } catch (TimeoutException e) {
            // The request stays open: the next caller may find its result, or wait longer for it.
            throw new RdmaUnavailableException(
                    connection.peer() + " did not verify the contract of service " + contract.name() + " within "
                            + limit.toMillis() + " ms",
                    e);
        }
    }

    private CompletableFuture<String> verify(ServiceContract contract) {
        CompletableFuture<String> result = new CompletableFuture<>();
        connection.context.loop.execute(() -> connection.verify(contract, result));
        return result;
    }

    void forget(ServiceContract contract) {
        results.remove(contract);
    }
}
