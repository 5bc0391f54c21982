package io.rdmarpc.docs.recording;

import java.util.HashMap;
import java.util.Map;
import org.springframework.scheduling.annotation.Scheduled;

public class PriceList implements Prices {

    private final Map<String, Long> prices = new HashMap<>(Map.of("bolt", 12L));

    @Override
    public synchronized long find(String article) {
        return prices.getOrDefault(article, 0L);
    }

    @Scheduled(fixedDelay = 500)
    synchronized void reload() throws InterruptedException {
        prices.putAll(readAll());
    }

    /** Takes as long as a query of a database. */
    private static Map<String, Long> readAll() throws InterruptedException {
        Thread.sleep(80);
        return Map.of("bolt", 12L, "nut", 4L);
    }
}
