package io.rdmarpc.benchmarks.order;

/** How soon an order is wanted. */
public enum Priority {
    /** When there is time. */
    STANDARD,
    /** Before others. */
    EXPRESS
}
