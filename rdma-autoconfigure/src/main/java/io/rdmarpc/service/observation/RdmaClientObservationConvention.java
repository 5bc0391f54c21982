package io.rdmarpc.service.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and tags of observed calls at the client. A bean of this type replaces {@link DefaultRdmaClientObservationConvention}. */
public interface RdmaClientObservationConvention extends ObservationConvention<RdmaClientObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof RdmaClientObservationContext;
    }
}
