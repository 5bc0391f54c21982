package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryStatistics;
import io.rdmarpc.remote.RemoteMemoryStatistics.Lending;
import io.rdmarpc.remote.RemoteMemoryStatistics.Refusals;
import io.rdmarpc.remote.RemoteMemoryStatistics.Use;
import java.util.function.ToLongFunction;

/** What remote memory counts, as meters. They are read when someone asks. */
public final class RemoteMemoryMeters implements MeterBinder {

    private final RemoteMemory memory;
    private final Tags device;

    /**
     * Creates the meters.
     *
     * @param memory what counts
     */
    public RemoteMemoryMeters(RemoteMemory memory) {
        this.memory = memory;
        this.device = Tags.of("device", memory.deviceName());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bindLending(registry);
        bindLeases(registry);
        bindRefusals(registry);
        bindUse(registry);
    }

    private void bindLending(MeterRegistry registry) {
        gauge(registry, RdmaMeter.REMOTE_LINKS, lending(Lending::links));
        gauge(registry, RdmaMeter.REMOTE_REGIONS, lending(Lending::regions), "role", "lent");
        gauge(registry, RdmaMeter.REMOTE_REGIONS, use(Use::regions), "role", "held");
        gauge(registry, RdmaMeter.REMOTE_GRANTS, lending(Lending::grants));
        gauge(registry, RdmaMeter.REMOTE_LENT, lending(Lending::bytes));
        count(registry, RdmaMeter.REMOTE_NOTICES, lending(Lending::notices));
    }

    private void bindLeases(MeterRegistry registry) {
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::allocated), "event", "allocated");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::opened), "event", "opened");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::renewed), "event", "renewed");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::freed), "event", "freed");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::expired), "event", "expired");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::revoked), "event", "revoked");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::reclaimed), "event", "reclaimed");
        count(registry, RdmaMeter.REMOTE_LEASES, lending(Lending::stuck), "event", "stuck");
    }

    private void bindRefusals(MeterRegistry registry) {
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::unknownToken), "reason", "unknown_token");
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::usedToken), "reason", "used_token");
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::foreignPeer), "reason", "foreign_peer");
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::quota), "reason", "quota");
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::rights), "reason", "rights");
        count(registry, RdmaMeter.REMOTE_REFUSALS, refusals(Refusals::other), "reason", "other");
    }

    private void bindUse(MeterRegistry registry) {
        count(registry, RdmaMeter.REMOTE_OPERATIONS, use(Use::reads), "operation", "read");
        count(registry, RdmaMeter.REMOTE_OPERATIONS, use(Use::writes), "operation", "write");
        count(registry, RdmaMeter.REMOTE_OPERATIONS, use(Use::atomics), "operation", "atomic");
        count(registry, RdmaMeter.REMOTE_BYTES, use(Use::readBytes), "operation", "read");
        count(registry, RdmaMeter.REMOTE_BYTES, use(Use::writtenBytes), "operation", "write");
        count(registry, RdmaMeter.REMOTE_FAILURES, use(Use::failed), "reason", "failed");
        count(registry, RdmaMeter.REMOTE_FAILURES, use(Use::refused), "reason", "refused");
    }

    private static ToLongFunction<RemoteMemoryStatistics> lending(ToLongFunction<Lending> value) {
        return statistics -> value.applyAsLong(statistics.lending());
    }

    private static ToLongFunction<RemoteMemoryStatistics> refusals(ToLongFunction<Refusals> value) {
        return statistics -> value.applyAsLong(statistics.refusals());
    }

    private static ToLongFunction<RemoteMemoryStatistics> use(ToLongFunction<Use> value) {
        return statistics -> value.applyAsLong(statistics.use());
    }

    private void count(
            MeterRegistry registry, RdmaMeter meter, ToLongFunction<RemoteMemoryStatistics> value, String... tags) {
        FunctionCounter.builder(meter.meterName(), memory, source -> value.applyAsLong(source.statistics()))
                .description(meter.description())
                .baseUnit(meter.unit())
                .tags(device.and(tags))
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, RdmaMeter meter, ToLongFunction<RemoteMemoryStatistics> value, String... tags) {
        Gauge.builder(meter.meterName(), memory, source -> value.applyAsLong(source.statistics()))
                .description(meter.description())
                .baseUnit(meter.unit())
                .tags(device.and(tags))
                .register(registry);
    }
}
