package io.rdmarpc.benchmarks.order;

/** Priority of an order. */
public enum Priority {
    /** Ships when there is time. */
    STANDARD,
    /** Ships before other orders. */
    EXPRESS
}
