package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderRequest;
import java.util.concurrent.CompletableFuture;

/** The service as a Spring developer defines it, with each method once for each dispatch mode. */
@RdmaService(name = "benchmark.Orders")
interface Orders {

    Order place(OrderRequest request);

    @RdmaMethod(execution = Execution.INLINE)
    Order placeInline(OrderRequest request);

    CompletableFuture<Order> placeLater(OrderRequest request);

    @RdmaMethod(execution = Execution.INLINE)
    CompletableFuture<Order> placeLaterInline(OrderRequest request);

    byte[] echo(byte[] bytes);

    @RdmaMethod(execution = Execution.INLINE)
    byte[] echoInline(byte[] bytes);

    CompletableFuture<byte[]> echoLater(byte[] bytes);

    @RdmaMethod(execution = Execution.INLINE)
    CompletableFuture<byte[]> echoLaterInline(byte[] bytes);
}
