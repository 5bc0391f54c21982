package io.rdmarpc.remote.lender;

import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory and regions lent to each peer and to all peers. A peer is a host, so that a host with more processes does
 * not get more memory. Control thread; {@link #totalBytes} any thread.
 */
final class Quotas {

    private static final class Account {
        private long bytes;
        private int regions;
    }

    private final LendingLimits limits;
    private final Map<String, Account> accounts = new HashMap<>();
    private final AtomicLong totalBytes = new AtomicLong();

    Quotas(LendingLimits limits) {
        this.limits = limits;
    }

    /**
     * Reserves a region and its bytes.
     *
     * @throws RdmaRemoteMemoryException if a limit would be exceeded
     */
    void reserve(String peer, long bytes) {
        Account account = accounts.computeIfAbsent(peer, _ -> new Account());
        if (bytes > limits.maxBytes() - totalBytes.get()) {
            throw full(totalBytes + " bytes are lent to all peers", "max-size " + limits.maxBytes(), bytes);
        }
        if (bytes > limits.maxBytesPerPeer() - account.bytes) {
            throw full(
                    account.bytes + " bytes are lent to " + peer,
                    "max-size-per-peer " + limits.maxBytesPerPeer(),
                    bytes);
        }
        if (account.regions >= limits.maxRegionsPerPeer()) {
            throw full(
                    account.regions + " regions are lent to " + peer,
                    "max-regions-per-peer " + limits.maxRegionsPerPeer(),
                    bytes);
        }
        account.bytes += bytes;
        account.regions++;
        totalBytes.addAndGet(bytes);
    }

    private static RdmaRemoteMemoryException full(String used, String limit, long bytes) {
        return new RdmaRemoteMemoryException(
                Reason.QUOTA,
                bytes + " more bytes cannot be lent: " + used + ", the limit is " + limit
                        + ". Free regions, let leases end, or raise the limit.");
    }

    void release(String peer, long bytes) {
        Account account = accounts.get(peer);
        if (account != null) {
            account.bytes -= bytes;
            account.regions--;
            totalBytes.addAndGet(-bytes);
            if (account.regions == 0) {
                accounts.remove(peer);
            }
        }
    }

    long totalBytes() {
        return totalBytes.get();
    }
}
