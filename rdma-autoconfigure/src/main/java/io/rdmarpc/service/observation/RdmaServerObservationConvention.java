package io.rdmarpc.service.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and tags of observed calls at the server. A bean of this type replaces {@link DefaultRdmaServerObservationConvention}. */
public interface RdmaServerObservationConvention extends ObservationConvention<RdmaServerObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof RdmaServerObservationContext;
    }
}
