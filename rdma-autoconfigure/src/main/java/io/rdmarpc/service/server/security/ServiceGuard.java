package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.server.call.ServerMethod;
import io.rdmarpc.verbs.PeerText;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Rejects calls of peers that may not call a service. A session has one identity object, so a permitted peer is
 * recognized by one reference comparison. Other peers are checked by the rules.
 */
final class ServiceGuard {

    private static final Log LOG = LogFactory.getLog(ServiceGuard.class);
    private static final int CACHE_SIZE = 64;
    private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String service;
    private final Predicate<PeerIdentity> rule;
    private final AtomicReferenceArray<@Nullable PeerIdentity> allowed = new AtomicReferenceArray<>(CACHE_SIZE);
    private final LongAdder rejections = new LongAdder();
    private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

    ServiceGuard(String service, Predicate<PeerIdentity> rule) {
        this.service = service;
        this.rule = rule;
    }

    GuardedHandler around(RequestHandler handler) {
        return new Guarded(this, handler);
    }

    /** The engine calls {@link #admits} before it fetches a large request. */
    private record Guarded(ServiceGuard guard, RequestHandler handler) implements GuardedHandler {

        @Override
        public boolean admits(PeerIdentity peer) {
            return guard.allows(peer);
        }

        @Override
        public void reject(RpcRequest request) {
            guard.reject(handler, request);
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            handler.handle(request);
        }
    }

    long rejections() {
        return rejections.sum();
    }

    @SuppressWarnings("ReferenceEquality")
    boolean allows(PeerIdentity peer) {
        int index = System.identityHashCode(peer) & (CACHE_SIZE - 1);
        if (allowed.get(index) == peer) {
            return true;
        }
        boolean decided = decide(peer);
        if (decided) {
            allowed.set(index, peer);
        }
        return decided;
    }

    /** Checks the rules. A rule that throws rejects the peer. */
    private boolean decide(PeerIdentity peer) {
        try {
            return rule.test(peer);
        } catch (RuntimeException e) {
            LOG.error("the authorization of service " + service + " failed: peer " + nameOf(peer) + " is rejected", e);
            return false;
        }
    }

    private void reject(RequestHandler handler, RpcRequest request) {
        rejections.increment();
        PeerIdentity peer = request.identity();
        String message = "peer " + nameOf(peer) + " may not call service " + service;
        // Logged before the response, because the request must not be used afterwards.
        log(peer.address(), message);
        String text = message + ": rdma.server.services at the server does not permit it";
        if (handler instanceof ServerMethod method) {
            method.reject(request, RpcStatus.PERMISSION_DENIED, text);
        } else {
            request.message().close();
            request.fail(RpcStatus.PERMISSION_DENIED, "", text);
        }
    }

    /** Logs at most one rejection every 10 s, so that a peer cannot fill the log. */
    private void log(String address, String message) {
        long now = System.nanoTime();
        long until = nextLogNanos.get();
        if (now - until >= 0 && nextLogNanos.compareAndSet(until, now + LOG_PAUSE_NANOS)) {
            LOG.warn(message + " (" + address + "); " + rejections.sum() + " calls rejected so far");
        }
    }

    private static String nameOf(PeerIdentity peer) {
        return peer.principal() == null
                ? peer.address() + " without a certificate"
                : PeerText.of(peer.principal().getName());
    }
}
