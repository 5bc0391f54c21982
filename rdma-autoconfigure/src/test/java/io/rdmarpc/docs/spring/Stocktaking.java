package io.rdmarpc.docs.spring;

import io.rdmarpc.annotation.RdmaClient;
import org.springframework.stereotype.Component;

@Component
class Stocktaking {

    private final Warehouse north;
    private final Warehouse south;

    Stocktaking(Warehouse north, @RdmaClient("south") Warehouse south) {
        this.north = north;
        this.south = south;
    }

    int count(String article) {
        return north.count(article) + south.count(article);
    }
}
