package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;

/** The names and tags of {@link RdmaMeter#CLIENT_REQUESTS}, so that timers are the same whoever makes them. */
public class DefaultRdmaClientObservationConvention implements RdmaClientObservationConvention {

    /** Creates the convention. */
    public DefaultRdmaClientObservationConvention() {}

    @Override
    public String getName() {
        return RdmaMeter.CLIENT_REQUESTS.meterName();
    }

    @Override
    public String getContextualName(RdmaClientObservationContext context) {
        return context.call().service() + "/" + context.call().method().name();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(RdmaClientObservationContext context) {
        return CallTags.of(context.call(), context.status(), context.getError())
                .and(RdmaObservationDocumentation.ClientKey.TARGET.withValue(
                        context.call().target()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(RdmaClientObservationContext context) {
        return CallTags.peer(context.call().peer());
    }
}
