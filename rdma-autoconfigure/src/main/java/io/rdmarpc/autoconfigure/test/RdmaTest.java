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
 * A test of services alone: of the application's components only those that implement a service are there, of the
 * auto-configurations only those that RDMA needs. Calls travel as they do in production, within the process:
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
 *     void anOrderIsPlaced() {
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
     * Names beans or services, as {@link #services} does.
     *
     * @return see there
     */
    @AliasFor("services")
    Class<?>[] value() default {};

    /**
     * Names the beans to be there.
     *
     * @return classes of beans, or interfaces of services; none means all that implement a service
     */
    @AliasFor("value")
    Class<?>[] services() default {};

    /**
     * Takes components that implement a service.
     *
     * @return whether they are there without being named by a filter
     */
    boolean useDefaultFilters() default true;

    /**
     * Names other components to be there.
     *
     * @return filters that find them
     */
    Filter[] includeFilters() default {};

    /**
     * Names components not to be there.
     *
     * @return filters that find them
     */
    Filter[] excludeFilters() default {};

    /**
     * Names auto-configurations not to be there.
     *
     * @return their classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
