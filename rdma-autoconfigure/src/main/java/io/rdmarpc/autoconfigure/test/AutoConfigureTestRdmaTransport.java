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
 * Configures a test so that the application's clients call its own server, whatever targets are configured. Calls use
 * the software RNIC on the loopback interface and a free control port, so that tests with several contexts do not
 * conflict.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestRdmaTransport {

    /**
     * Enables the test transport.
     *
     * @return whether it is enabled
     */
    @PropertyMapping("rdma.test.transport")
    boolean enabled() default true;

    /**
     * Sets the control port of the server.
     *
     * @return a port; 0 uses any free one, which {@link LocalRdmaServerPort} injects
     */
    @PropertyMapping("rdma.server.port")
    int port() default 0;

    /**
     * Sets the address that the server listens on.
     *
     * @return an address of this host
     */
    @PropertyMapping("rdma.server.address")
    String address() default "127.0.0.1";

    /**
     * Sets how long calls in flight may take when the context closes.
     *
     * @return a duration such as {@code 2s}
     */
    @PropertyMapping("rdma.server.shutdown.grace-period")
    String gracePeriod() default "0s";
}
