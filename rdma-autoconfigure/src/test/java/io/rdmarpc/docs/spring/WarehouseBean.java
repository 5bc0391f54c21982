package io.rdmarpc.docs.spring;

import io.rdmarpc.service.ServerCallContext;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@Component
class WarehouseBean implements Warehouse {

    private static final int ROOM = 10;

    private final Map<String, Item> items = new ConcurrentHashMap<>();
    final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public Optional<Item> find(String article) {
        return Optional.ofNullable(items.get(article));
    }

    @Override
    public void store(Item item) throws WarehouseFullException {
        if (items.size() == ROOM) {
            throw new WarehouseFullException("there is no room for " + item.article());
        }
        items.put(item.article(), item);
    }

    @Override
    public int count(String article) {
        return find(article)
                .orElseThrow(() -> new NoSuchElementException("no " + article))
                .count();
    }

    @Override
    public long revision() {
        return items.size();
    }

    @Override
    public CompletableFuture<String> report() {
        ServerCallContext call = ServerCallContext.current();
        String tenant = call == null ? "nobody" : call.metadata().get("tenant");
        return CompletableFuture.completedFuture(items.size() + " articles for " + tenant);
    }

    @Override
    public void seen(String article) {
        seen.add(article);
    }

    @Override
    public Mono<Item> last() {
        return Mono.justOrEmpty(items.values().stream().reduce((a, b) -> b));
    }

    @Override
    public Stream<Item> all() {
        return items.values().stream();
    }

    @Override
    public Flux<Integer> counts(Flux<String> articles) {
        return articles.map(this::count);
    }

    @Override
    public int storeAll(Stream<Item> all) {
        return all.mapToInt(item -> {
                    items.put(item.article(), item);
                    return 1;
                })
                .sum();
    }
}
