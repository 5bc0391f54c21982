package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;

/** Names and attributes of {@link RdmaMeter#CLIENT_CALLS}: observations and timers without them have the same. */
public class DefaultRdmaClientObservationConvention implements RdmaClientObservationConvention {

    /** Creates the convention. */
    public DefaultRdmaClientObservationConvention() {}

    @Override
    public String getName() {
        return RdmaMeter.CLIENT_CALLS.meterName();
    }

    @Override
    public String getContextualName(RdmaClientObservationContext context) {
        return context.method().getValue();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(RdmaClientObservationContext context) {
        return CallTags.of(context.begun(), context.status());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RdmaClientObservationContext context) {
        // Retries may change the peer: the last one counts.
        return context.status() == null
                ? KeyValues.empty()
                : CallTags.peer(context.call().peer());
    }
}
