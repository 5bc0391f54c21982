package io.rdmarpc.rpc.control;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The engines of a runtime: sessions are given to one after the other. Any thread. */
final class ControlEngines {

    /** One engine, and how much of its receive ring is spoken for. */
    record Engine(ControlParts parts, ReceiveBudget budget) {}

    private final List<Engine> engines;
    private final AtomicInteger turn = new AtomicInteger();

    ControlEngines(List<ControlParts> all) {
        this.engines = all.stream()
                .map(parts -> new Engine(parts, new ReceiveBudget(parts.ud().receiveDepth())))
                .toList();
    }

    Engine first() {
        return engines.getFirst();
    }

    Engine next() {
        return engines.get(Math.floorMod(turn.getAndIncrement(), engines.size()));
    }
}
