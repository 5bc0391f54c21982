package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose methods can be called over RDMA. The server exports a bean that implements it. If there is
 * no such bean, a proxy that calls the remote service can be injected.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaService {

    /**
     * Returns the name of the service for its peers.
     *
     * @return the name; the interface's fully qualified name if empty
     */
    String name() default "";

    /**
     * Returns the version, for servers that offer several versions of a service at the same time. Each version has its
     * own interface. Peers see {@code name:version}.
     *
     * @return the version; no version if empty
     */
    String version() default "";

    /**
     * Returns the group, which distinguishes services of the same name that different parts of an organization offer.
     * Peers see {@code group/name}.
     *
     * @return the group; no group if empty
     */
    String group() default "";
}
