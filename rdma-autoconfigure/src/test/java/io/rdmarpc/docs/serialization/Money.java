package io.rdmarpc.docs.serialization;

/** A class that hides its fields behind an interface that any class may implement. */
public class Money implements Comparable<Money> {

    private final transient long cents;
    private final transient String currency;

    public Money(long cents, String currency) {
        this.cents = cents;
        this.currency = currency;
    }

    public long cents() {
        return cents;
    }

    public String currency() {
        return currency;
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(cents, other.cents);
    }
}
