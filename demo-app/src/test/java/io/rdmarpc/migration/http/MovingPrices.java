package io.rdmarpc.migration.http;

import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.util.concurrent.ThreadLocalRandom;

/** Sends a configurable percentage of the calls over RDMA and the others over HTTP. */
final class MovingPrices implements Prices {

    private final Prices http;
    private final Prices rdma;
    private volatile int percentByRdma;

    MovingPrices(Prices http, Prices rdma, int percentByRdma) {
        this.http = http;
        this.rdma = rdma;
        this.percentByRdma = percentByRdma;
    }

    /** Sets the percentage of calls over RDMA, 0 to 100. May be called while calls are in progress. */
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
            return http.price(article); // possibly the second attempt, which is safe for reads
        }
    }

    @Override
    public void change(Price price) {
        Prices chosen = isByRdma() ? rdma : http;
        chosen.change(price); // no second attempt over HTTP, because the change may have been applied
    }

    private boolean isByRdma() {
        return ThreadLocalRandom.current().nextInt(100) < percentByRdma;
    }
}
