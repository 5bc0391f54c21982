package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;

/** Names and attributes of {@link RdmaMeter#SERVER_CALLS}. Timers without observations have the same ones. */
public class DefaultRdmaServerObservationConvention implements RdmaServerObservationConvention {

    /** Creates the convention. */
    public DefaultRdmaServerObservationConvention() {}

    @Override
    public String getName() {
        return RdmaMeter.SERVER_CALLS.meterName();
    }

    @Override
    public String getContextualName(RdmaServerObservationContext context) {
        return context.method().getValue();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(RdmaServerObservationContext context) {
        return CallTags.of(context.started(), context.status());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RdmaServerObservationContext context) {
        return CallTags.peer(context.call().peer());
    }
}
