package io.rdmarpc.slice;

import io.rdmarpc.annotation.RdmaService;
import org.springframework.stereotype.Component;

/** Two services, and something else. */
public final class Shop {

    private Shop() {}

    /** A service. */
    @RdmaService
    public interface Prices {
        int priceOf(String article);
    }

    /** Another service. */
    @RdmaService
    public interface Stock {
        int left(String article);
    }

    /** Offers prices. */
    @Component
    public static class PriceList implements Prices {
        @Override
        public int priceOf(String article) {
            return article.length();
        }
    }

    /** Offers stock. */
    @Component
    public static class Shelf implements Stock {
        @Override
        public int left(String article) {
            return 7;
        }
    }

    /** No service: a slice has it not. */
    @Component
    public static class Mailer {}
}
