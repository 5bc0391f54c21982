package io.rdmarpc.autoconfigure.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of services alone. The context has only the components that implement a service, and only the
 * auto-configurations that RDMA needs. Calls use the same path as in production, within the process:
 *
 * <pre>{@code
 * @RdmaTest(services = OrderService.class)
 * class OrdersTest {
 *
 *     @Autowired
 *     @RdmaClient
 *     Orders orders;
 *
 *     @Test
 *     void shouldPlaceAnOrder() {
 *         assertThat(orders.place(order).total()).isEqualTo(...);
 *     }
 * }
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(RdmaTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(RdmaTypeExcludeFilter.class)
@AutoConfigureTestRdmaTransport
@ImportAutoConfiguration
public @interface RdmaTest {

    /**
     * Adds properties before the context starts.
     *
     * @return properties, each as {@code name=value}
     */
    String[] properties() default {};

    /**
     * Selects beans, as {@link #services} does.
     *
     * @return as {@link #services}
     */
    @AliasFor("services")
    Class<?>[] value() default {};

    /**
     * Selects the beans of the context.
     *
     * @return classes of beans, or interfaces of services; empty selects all components that implement a service
     */
    @AliasFor("value")
    Class<?>[] services() default {};

    /**
     * Enables the default filters, which include components that implement a service.
     *
     * @return whether they are included
     */
    boolean useDefaultFilters() default true;

    /**
     * Includes other components.
     *
     * @return filters that match them
     */
    Filter[] includeFilters() default {};

    /**
     * Excludes components.
     *
     * @return filters that match them
     */
    Filter[] excludeFilters() default {};

    /**
     * Excludes auto-configurations.
     *
     * @return their classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
