package com.example.shop.client;

import com.example.shop.contract.Stock;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.List;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Watch {

    private final Stock stock;

    Watch(Stock stock) {
        this.stock = stock;
    }

    @EventListener
    void watch(ApplicationReadyEvent event) throws InterruptedException {
        while (List.of(event.getArgs()).contains("watch")) {
            long start = System.nanoTime();
            String outcome = find();
            long millis = (System.nanoTime() - start) / 1_000_000;
            System.out.println(millis + " ms: " + outcome);
            Thread.sleep(1000);
        }
    }

    private String find() {
        try {
            return stock.find("bolt").toString();
        } catch (RdmaRpcException e) {
            return e.status() + ": " + e.getMessage();
        }
    }
}
