package io.rdmarpc.migration.http;

import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.util.concurrent.ThreadLocalRandom;

/** Sends a share of the calls by RDMA and the others by HTTP. */
final class MovingPrices implements Prices {

    private final Prices http;
    private final Prices rdma;
    private volatile int percentByRdma;

    MovingPrices(Prices http, Prices rdma, int percentByRdma) {
        this.http = http;
        this.rdma = rdma;
        this.percentByRdma = percentByRdma;
    }

    /** From 0 to 100, while calls go on. */
    void move(int percent) {
        percentByRdma = percent;
    }

    @Override
    public Price price(String article) {
        if (!isByRdma()) {
            return http.price(article);
        }
        try {
            return rdma.price(article);
        } catch (RdmaUnavailableException e) {
            return http.price(article); // may be the second time: reading twice does no harm
        }
    }

    @Override
    public void change(Price price) {
        Prices chosen = isByRdma() ? rdma : http;
        chosen.change(price); // not tried again by the other way: it may have happened
    }

    private boolean isByRdma() {
        return ThreadLocalRandom.current().nextInt(100) < percentByRdma;
    }
}
