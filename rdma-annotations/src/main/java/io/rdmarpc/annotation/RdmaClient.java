package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Injects the proxy for the remote service at an injection point, even if a local implementation exists. */
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaClient {

    /**
     * Returns the name of the target that the proxy calls.
     *
     * @return a name below {@code rdma.client.targets}
     */
    String value() default "default";
}
