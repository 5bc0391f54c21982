package io.rdmarpc.rpc.control.limit;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts accesses of peers to memory that was not lent to them, and rejects a peer for a while after a few of them. The
 * NIC rejects each access and ends its connection. No release of this library makes such an access, so a peer that
 * repeats it is guessing keys. Control thread, except for {@link #count}.
 */
public final class AccessErrors {

    /** Number of errors within {@link #PERIOD} after which a peer is rejected. */
    public static final int MAX_ERRORS = 3;

    static final Duration PERIOD = Duration.ofMinutes(10);
    public static final Duration REJECTION = Duration.ofMinutes(1);

    private static final int MAX_PEERS = 1024;

    private final AtomicLong count = new AtomicLong();
    private final Map<Object, Account> accounts = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Account> eldest) {
            return size() > MAX_PEERS;
        }
    };

    /** The errors of one peer. */
    private static final class Account {
        private final long beganNanos;
        private int errors;
        private boolean rejected;
        private long rejectedUntilNanos;

        private Account(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        private boolean isOver(long now) {
            return rejected ? now - rejectedUntilNanos >= 0 : now - beganNanos >= PERIOD.toNanos();
        }
    }

    /** Counts an access of a server, which has no account. */
    public void add() {
        count.incrementAndGet();
    }

    /**
     * Counts an access of a client.
     *
     * @param peer the client's address, or the principal of its certificate
     * @return true if the peer is rejected from now on
     */
    public boolean add(Object peer, long now) {
        add();
        Account account = current(peer, now);
        if (account == null) {
            account = new Account(now);
            accounts.put(peer, account);
        }
        account.errors++;
        if (account.errors < MAX_ERRORS) {
            return false;
        }
        account.rejected = true;
        account.rejectedUntilNanos = now + REJECTION.toNanos();
        return true;
    }

    /** Returns whether a peer is rejected now. */
    public boolean isRejected(Object peer, long now) {
        Account account = current(peer, now);
        return account != null && account.rejected;
    }

    private @Nullable Account current(Object peer, long now) {
        Account account = accounts.get(peer);
        if (account != null && account.isOver(now)) {
            accounts.remove(peer);
            return null;
        }
        return account;
    }

    /** Returns the number of errors since the start. Thread-safe. */
    public long count() {
        return count.get();
    }
}
