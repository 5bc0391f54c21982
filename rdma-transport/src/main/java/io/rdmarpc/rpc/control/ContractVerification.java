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

/** Verifies contracts with a server, each once, and keeps the results. Any thread. */
final class ContractVerification {

    private final ClientConnection connection;
    private final Map<ServiceContract, CompletableFuture<String>> answers = new ConcurrentHashMap<>();

    ContractVerification(ClientConnection connection) {
        this.connection = connection;
    }

    /** Returns what differs, in words; empty when nothing does. */
    String await(ServiceContract contract, Duration limit) {
        CompletableFuture<String> answer = answers.computeIfAbsent(contract, this::ask);
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaRpcException(RpcStatus.CANCELLED, "interrupted while waiting for the server's contract", e);
        } catch (ExecutionException e) {
            answers.remove(contract, answer);
            Throwable why = e.getCause() == null ? e : e.getCause();
            throw new RdmaUnavailableException(
                    connection.peer() + " could not be asked about service " + contract.name() + ": "
                            + why.getMessage(),
                    why);
        } catch (TimeoutException e) {
            // The question stays asked: the next caller may find the answer, or wait for it longer.
            throw new RdmaUnavailableException(
                    connection.peer() + " did not answer about service " + contract.name() + " within "
                            + limit.toMillis() + " ms",
                    e);
        }
    }

    private CompletableFuture<String> ask(ServiceContract contract) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        connection.context.loop.execute(() -> connection.ask(contract, answer));
        return answer;
    }

    void forget(ServiceContract contract) {
        answers.remove(contract);
    }
}
