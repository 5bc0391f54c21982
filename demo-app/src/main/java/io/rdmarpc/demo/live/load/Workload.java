package io.rdmarpc.demo.live.load;

/** The kind of call that callers repeat. */
public enum Workload {
    /** Places an order and waits for the receipt. */
    PLACE,
    /** Places orders without waiting. The number of callers is the number of calls in flight. */
    PLACE_ASYNC,
    /** Amends an order and waits for the new receipt. */
    AMEND,
    /** Reads the fills of an order, which arrive as a stream. */
    FILLS,
    /** Fetches a report of more than 1 MiB. */
    REPORT
}
