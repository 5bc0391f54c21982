package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;

/** The names and tags of {@link RdmaMeter#SERVER_REQUESTS}, so that timers are the same whoever makes them. */
public class DefaultRdmaServerObservationConvention implements RdmaServerObservationConvention {

    /** Creates the convention. */
    public DefaultRdmaServerObservationConvention() {}

    @Override
    public String getName() {
        return RdmaMeter.SERVER_REQUESTS.meterName();
    }

    @Override
    public String getContextualName(RdmaServerObservationContext context) {
        return context.call().service() + "/" + context.call().method().name();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(RdmaServerObservationContext context) {
        return CallTags.of(context.call(), context.status(), context.getError());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RdmaServerObservationContext context) {
        return CallTags.peer(context.call().peer());
    }
}
