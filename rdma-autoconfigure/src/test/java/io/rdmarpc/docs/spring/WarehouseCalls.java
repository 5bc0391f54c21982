package io.rdmarpc.docs.spring;

import io.rdmarpc.docs.spring.Warehouse.Item;
import io.rdmarpc.docs.spring.Warehouse.WarehouseFullException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** Calls of each kind, and the failures that callers handle. */
final class WarehouseCalls {

    private final Warehouse warehouse;

    WarehouseCalls(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    CompletableFuture<String> headline() {
        return warehouse.report().thenApply(report -> "Today: " + report);
    }

    Mono<String> lastArticle() {
        return warehouse.last().map(Item::article);
    }

    int total() {
        try (Stream<Item> items = warehouse.all()) {
            return items.mapToInt(Item::count).sum();
        }
    }

    String store(Item item) {
        try {
            warehouse.store(item);
            return "stored";
        } catch (WarehouseFullException e) {
            return "full";
        } catch (RdmaRemoteException e) {
            return e.status() == RpcStatus.INVALID_ARGUMENT ? "invalid" : "failed";
        } catch (RdmaUnavailableException e) {
            return "unavailable";
        }
    }
}
