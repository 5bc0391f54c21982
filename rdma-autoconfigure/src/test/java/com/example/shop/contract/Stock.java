package com.example.shop.contract;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import java.util.Optional;

@RdmaService
public interface Stock {

    void store(Item item);

    @RdmaMethod(idempotent = true)
    Optional<Item> find(String article);

    record Item(String article, int count) {}
}
