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
 * Keeps peers from a service that may not call it. A session has one identity object, so who was let in before is known by
 * looking at one reference; everybody else is decided about.
 */
final class ServiceGuard {

    private static final Log LOG = LogFactory.getLog(ServiceGuard.class);
    private static final int REMEMBERED = 64;
    private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String service;
    private final Predicate<PeerIdentity> rule;
    private final AtomicReferenceArray<@Nullable PeerIdentity> allowed = new AtomicReferenceArray<>(REMEMBERED);
    private final LongAdder rejections = new LongAdder();
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    ServiceGuard(String service, Predicate<PeerIdentity> rule) {
        this.service = service;
        this.rule = rule;
    }

    GuardedHandler around(RequestHandler handler) {
        return new Guarded(this, handler);
    }

    /** The engine asks before it fetches a large request. */
    private record Guarded(ServiceGuard guard, RequestHandler handler) implements GuardedHandler {

        @Override
        public boolean admits(PeerIdentity peer) {
            return guard.allows(peer);
        }

        @Override
        public void refuse(RpcRequest request) {
            guard.refuse(handler, request);
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
        int place = System.identityHashCode(peer) & (REMEMBERED - 1);
        if (allowed.get(place) == peer) {
            return true;
        }
        boolean decided = decide(peer);
        if (decided) {
            allowed.set(place, peer);
        }
        return decided;
    }

    /** A rule that throws lets nobody in. */
    private boolean decide(PeerIdentity peer) {
        try {
            return rule.test(peer);
        } catch (RuntimeException e) {
            LOG.error("the authorization of service " + service + " failed: peer " + nameOf(peer) + " is refused", e);
            return false;
        }
    }

    private void refuse(RequestHandler handler, RpcRequest request) {
        rejections.increment();
        PeerIdentity peer = request.identity();
        String words = "peer " + nameOf(peer) + " may not call service " + service;
        // Before the answer: the request is not to be asked afterwards.
        log(peer.address(), words);
        String text = words + ": the server's rdma.server.services say who may";
        if (handler instanceof ServerMethod method) {
            method.refuse(request, RpcStatus.PERMISSION_DENIED, text);
        } else {
            request.message().close();
            request.fail(RpcStatus.PERMISSION_DENIED, "", text);
        }
    }

    /** A peer can call again and again, and must not fill the log. */
    private void log(String address, String words) {
        long now = System.nanoTime();
        long until = quietUntil.get();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + LOG_PAUSE_NANOS)) {
            LOG.warn(words + " (" + address + "); " + rejections.sum() + " calls refused so far");
        }
    }

    private static String nameOf(PeerIdentity peer) {
        return peer.principal() == null
                ? peer.address() + " without a certificate"
                : PeerText.of(peer.principal().getName());
    }
}
