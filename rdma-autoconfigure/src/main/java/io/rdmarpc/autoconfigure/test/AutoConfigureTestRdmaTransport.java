package io.rdmarpc.autoconfigure.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Put on a test: the application's clients call its own server, whatever targets the configuration has, over the software RNIC
 * on the loopback interface and a free control port. Tests of several contexts do not get into each other's way.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestRdmaTransport {

    /**
     * Switches it on.
     *
     * @return whether it does what it says
     */
    @PropertyMapping("rdma.test.transport")
    boolean enabled() default true;

    /**
     * Names the control port of the server.
     *
     * @return a port; 0 takes any free one, which {@link LocalRdmaServerPort} tells
     */
    @PropertyMapping("rdma.server.port")
    int port() default 0;

    /**
     * Names the address that the server listens on.
     *
     * @return an address of this host
     */
    @PropertyMapping("rdma.server.address")
    String address() default "127.0.0.1";

    /**
     * Limits how long calls in flight may take when the context closes.
     *
     * @return a time such as {@code 2s}
     */
    @PropertyMapping("rdma.server.shutdown.grace-period")
    String gracePeriod() default "0s";
}
