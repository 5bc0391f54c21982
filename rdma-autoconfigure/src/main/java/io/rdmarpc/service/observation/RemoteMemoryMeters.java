package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryStatistics.Lending;
import io.rdmarpc.remote.RemoteMemoryStatistics.Rejections;
import io.rdmarpc.remote.RemoteMemoryStatistics.Use;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Meters of remote memory. A registry reads the counters when it publishes. Thread-safe. */
public final class RemoteMemoryMeters implements MeterBinder {

    private final RemoteMemory memory;
    private final Tags device;

    /**
     * Creates the meters.
     *
     * @param memory the remote memory with the counters
     */
    public RemoteMemoryMeters(RemoteMemory memory) {
        this.memory = memory;
        this.device = Tags.of("device", memory.deviceName());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        SourceMeters<RemoteMemory> meters = new SourceMeters<>(registry, memory, device);
        bindLending(meters);
        bindLeases(meters);
        bindRejections(meters);
        bindUse(meters);
    }

    private void bindLending(SourceMeters<RemoteMemory> meters) {
        meters.gauge(RdmaMeter.REMOTE_CONNECTIONS, lending(Lending::links));
        meters.gauge(RdmaMeter.REMOTE_REGIONS, lending(Lending::regions), "role", "server");
        meters.gauge(RdmaMeter.REMOTE_REGIONS, use(Use::regions), "role", "client");
        meters.gauge(RdmaMeter.REMOTE_GRANTS, lending(Lending::grants));
        meters.gauge(RdmaMeter.REMOTE_ALLOCATED, lending(Lending::bytes));
        meters.counter(RdmaMeter.REMOTE_NOTIFICATIONS, lending(Lending::notifications));
    }

    private void bindLeases(SourceMeters<RemoteMemory> meters) {
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::allocated), "event", "allocated");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::opened), "event", "opened");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::renewed), "event", "renewed");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::freed), "event", "freed");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::expired), "event", "expired");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::revoked), "event", "revoked");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::reclaimed), "event", "reclaimed");
        meters.counter(RdmaMeter.REMOTE_LEASE_EVENTS, lending(Lending::stuck), "event", "stuck");
    }

    private void bindRejections(SourceMeters<RemoteMemory> meters) {
        meters.counter(
                RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::unknownToken), "reason", "unknown_token");
        meters.counter(RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::usedToken), "reason", "used_token");
        meters.counter(
                RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::foreignPeer), "reason", "foreign_peer");
        meters.counter(RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::quota), "reason", "quota");
        meters.counter(RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::rights), "reason", "rights");
        meters.counter(RdmaMeter.REMOTE_REQUESTS_REJECTED, rejections(Rejections::other), "reason", "other");
    }

    private void bindUse(SourceMeters<RemoteMemory> meters) {
        meters.counter(RdmaMeter.REMOTE_OPERATIONS, use(Use::reads), "operation", "read");
        meters.counter(RdmaMeter.REMOTE_OPERATIONS, use(Use::writes), "operation", "write");
        meters.counter(RdmaMeter.REMOTE_OPERATIONS, use(Use::atomics), "operation", "atomic");
        meters.counter(RdmaMeter.REMOTE_BYTES, use(Use::readBytes), "operation", "read");
        meters.counter(RdmaMeter.REMOTE_BYTES, use(Use::writtenBytes), "operation", "write");
        meters.counter(RdmaMeter.REMOTE_OPERATIONS_FAILED, use(Use::failed), "reason", "transport");
        meters.counter(RdmaMeter.REMOTE_OPERATIONS_FAILED, use(Use::rejected), "reason", "check");
    }

    private static ToDoubleFunction<RemoteMemory> lending(ToLongFunction<Lending> value) {
        return source -> value.applyAsLong(source.statistics().lending());
    }

    private static ToDoubleFunction<RemoteMemory> rejections(ToLongFunction<Rejections> value) {
        return source -> value.applyAsLong(source.statistics().rejections());
    }

    private static ToDoubleFunction<RemoteMemory> use(ToLongFunction<Use> value) {
        return source -> value.applyAsLong(source.statistics().use());
    }
}
