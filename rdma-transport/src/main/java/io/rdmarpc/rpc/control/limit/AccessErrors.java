package io.rdmarpc.rpc.control.limit;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts accesses of peers to memory that was not lent to them, and refuses a peer for a while after a few of them. The NIC refuses each
 * one and ends its connection. No release of ours makes any, so a peer that goes on is guessing keys. Control thread, except for
 * {@link #count}.
 */
public final class AccessErrors {

    /** So many within {@link #PERIOD}, and the peer is refused. */
    public static final int MOST = 3;

    static final Duration PERIOD = Duration.ofMinutes(10);
    public static final Duration REFUSAL = Duration.ofMinutes(1);

    private static final int MOST_PEERS = 1024;

    private final AtomicLong count = new AtomicLong();
    private final Map<Object, Account> accounts = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Account> eldest) {
            return size() > MOST_PEERS;
        }
    };

    /** What one peer did. */
    private static final class Account {
        private final long beganNanos;
        private int errors;
        private boolean refused;
        private long refusedUntilNanos;

        private Account(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        private boolean isOver(long now) {
            return refused ? now - refusedUntilNanos >= 0 : now - beganNanos >= PERIOD.toNanos();
        }
    }

    /** Counts one without an account: a server's, to which this process is the client. */
    public void add() {
        count.incrementAndGet();
    }

    /**
     * Counts one of a client.
     *
     * @param peer its address, or the principal of its certificate
     * @return true if the peer is refused from now on
     */
    public boolean add(Object peer, long now) {
        add();
        Account account = current(peer, now);
        if (account == null) {
            account = new Account(now);
            accounts.put(peer, account);
        }
        account.errors++;
        if (account.errors < MOST) {
            return false;
        }
        account.refused = true;
        account.refusedUntilNanos = now + REFUSAL.toNanos();
        return true;
    }

    /** Tells whether a peer is refused now. */
    public boolean isRefused(Object peer, long now) {
        Account account = current(peer, now);
        return account != null && account.refused;
    }

    private @Nullable Account current(Object peer, long now) {
        Account account = accounts.get(peer);
        if (account != null && account.isOver(now)) {
            accounts.remove(peer);
            return null;
        }
        return account;
    }

    /** Returns how many there were since the start. Any thread. */
    public long count() {
        return count.get();
    }
}
