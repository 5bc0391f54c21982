package io.rdmarpc.autoconfigure.client;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes clients of services that are not in the application's packages, or that are to be called at another target than the
 * default one. Goes on a configuration class, any number of times.
 *
 * <p>A client made here is injected where the service's interface is asked for and no local bean implements it; {@link
 * io.rdmarpc.annotation.RdmaClient} with the target's name asks for it by name. Where the same service is imported for
 * several targets, the first one is injected without a name.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ImportRdmaServices.Container.class)
@Import(ImportedServicesRegistrar.class)
public @interface ImportRdmaServices {

    /**
     * Names packages, as {@link #basePackages()} does.
     *
     * @return packages to look for service interfaces in
     */
    @AliasFor("basePackages")
    String[] value() default {};

    /**
     * Names packages in which, and below which, every interface with {@link io.rdmarpc.annotation.RdmaService} gets a client.
     *
     * @return packages; with none, and no {@link #types()}, that of the annotated class
     */
    @AliasFor("value")
    String[] basePackages() default {};

    /**
     * Names packages by a class in each.
     *
     * @return any classes of the packages
     */
    Class<?>[] basePackageClasses() default {};

    /**
     * Names services.
     *
     * @return interfaces with {@link io.rdmarpc.annotation.RdmaService}
     */
    Class<?>[] types() default {};

    /**
     * Chooses whom the clients call.
     *
     * @return a name below {@code rdma.client.targets}
     */
    String target() default "default";

    /** Several of them on one class. */
    @Documented
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Import(ImportedServicesRegistrar.class)
    @interface Container {

        /**
         * Returns them.
         *
         * @return in the order in which they were written
         */
        ImportRdmaServices[] value();
    }
}
