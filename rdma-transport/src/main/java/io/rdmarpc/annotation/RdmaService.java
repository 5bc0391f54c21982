package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose methods can be called over RDMA. A bean that implements it is exported; where none does, a
 * proxy that calls the remote one can be injected.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaService {

    /**
     * Names the service for its peers.
     *
     * @return the name, the interface's full name when empty
     */
    String name() default "";
}
