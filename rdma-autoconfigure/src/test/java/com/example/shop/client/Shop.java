package com.example.shop.client;

import com.example.shop.contract.Stock;
import com.example.shop.contract.Stock.Item;
import io.rdmarpc.rpc.error.RdmaRpcException;
import org.springframework.boot.CommandLineRunner;
import org.springframework.stereotype.Component;

@Component
class Shop implements CommandLineRunner {

    private final Stock stock;

    Shop(Stock stock) {
        this.stock = stock;
    }

    @Override
    public void run(String... args) {
        try {
            stock.store(new Item("bolt", 3));
            System.out.println("bolt: " + stock.find("bolt"));
            System.out.println("nut: " + stock.find("nut"));
        } catch (RdmaRpcException e) {
            System.out.println(e.status() + ": " + e.getMessage());
        }
    }
}
