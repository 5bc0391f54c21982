package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.Measurement;
import io.rdmarpc.demo.OrderCalls;
import java.util.List;

/** A kind of call that the comparison measures. */
enum Part {
    FIRST_CALL("first call of a process"),
    PLACE("place an order, 1 caller"),
    FIND("find an order, 1 caller"),
    PLACE_MANY("place orders, %d callers"),
    REPORT("fetch a report, 1 caller");

    /** The parts that are measured when the processes are warm. */
    static final List<Part> WARM = List.of(PLACE, FIND, PLACE_MANY, REPORT);

    private final String label;

    Part(String label) {
        this.label = label;
    }

    /** Returns the name for readers. */
    String label(int callers) {
        return label.formatted(callers);
    }

    int callers(int configured) {
        return this == PLACE_MANY ? configured : 1;
    }

    Measurement.Call call(OrderCalls calls) {
        return switch (this) {
            case FIRST_CALL, PLACE, PLACE_MANY -> calls::place;
            case FIND -> calls::find;
            case REPORT -> calls::report;
        };
    }
}
