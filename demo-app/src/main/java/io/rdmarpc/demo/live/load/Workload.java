package io.rdmarpc.demo.live.load;

/** What callers do again and again. */
public enum Workload {
    /** Places an order and waits for the receipt. */
    PLACE,
    /** Places orders without waiting: as many are under way as there would be callers. */
    PLACE_ASYNC,
    /** Amends an order and waits for the new receipt. */
    AMEND,
    /** Follows the fills of an order, which come as a stream. */
    FILLS,
    /** Fetches a report of more than a MiB. */
    REPORT
}
