package io.rdmarpc.autoconfigure.observation;

import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** Matches if {@code rdma.observation.mode} is this mode, after {@code auto} has been resolved. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnObservationMode.class)
@interface ConditionalOnObservationMode {

    RdmaProperties.Observation.Mode value();
}
