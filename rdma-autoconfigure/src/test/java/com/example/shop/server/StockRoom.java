package com.example.shop.server;

import com.example.shop.contract.Stock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

@Component
class StockRoom implements Stock {

    private final Map<String, Item> items = new ConcurrentHashMap<>();

    @Override
    public void store(Item item) {
        items.put(item.article(), item);
    }

    @Override
    public Optional<Item> find(String article) {
        return Optional.ofNullable(items.get(article));
    }
}
