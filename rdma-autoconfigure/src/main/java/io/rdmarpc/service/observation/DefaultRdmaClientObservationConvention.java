package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;

/** Names and attributes of {@link RdmaMeter#CLIENT_CALLS}. Timers without observations have the same ones. */
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
        return CallTags.of(context.started(), context.status());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RdmaClientObservationContext context) {
        // Retries may use another peer; the attributes are those of the last one.
        return context.status() == null
                ? KeyValues.empty()
                : CallTags.peer(context.call().peer());
    }
}
