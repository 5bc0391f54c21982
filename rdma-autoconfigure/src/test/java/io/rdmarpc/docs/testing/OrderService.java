package io.rdmarpc.docs.testing;

import org.springframework.stereotype.Component;

/** Offers it. */
@Component
class OrderService implements Orders {

    private final PriceList prices;

    OrderService(PriceList prices) {
        this.prices = prices;
    }

    @Override
    public long total(String article, int count) {
        return count * prices.of(article);
    }
}
