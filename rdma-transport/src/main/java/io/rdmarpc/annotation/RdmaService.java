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

    /**
     * Tells versions of a service apart that are offered side by side, each an interface of its own. Peers see {@code
     * name:version}.
     *
     * @return the version, none when empty
     */
    String version() default "";

    /**
     * Tells services of one name apart that different parts of an organization offer. Peers see {@code group/name}.
     *
     * @return the group, none when empty
     */
    String group() default "";
}
