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
 * Creates clients of services that are outside the application's packages, or that are called at a target other than
 * the default one. This annotation is placed on a configuration class, any number of times.
 *
 * <p>Spring injects such a client for the service's interface if no local bean implements it.
 * {@link io.rdmarpc.annotation.RdmaClient} with the target's name selects a client by target. If a service is
 * imported for several targets, the first client is injected where no target is named.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ImportRdmaServices.Container.class)
@Import(ImportedServicesRegistrar.class)
public @interface ImportRdmaServices {

    /**
     * Selects packages, as {@link #basePackages()} does.
     *
     * @return packages to scan for service interfaces
     */
    @AliasFor("basePackages")
    String[] value() default {};

    /**
     * Selects packages to scan, subpackages included. Every interface with {@link io.rdmarpc.annotation.RdmaService}
     * gets a client.
     *
     * @return packages; if empty and {@link #types()} is empty too, the package of the annotated class
     */
    @AliasFor("value")
    String[] basePackages() default {};

    /**
     * Selects packages to scan by a class in each.
     *
     * @return any classes of the packages
     */
    Class<?>[] basePackageClasses() default {};

    /**
     * Selects services.
     *
     * @return interfaces with {@link io.rdmarpc.annotation.RdmaService}
     */
    Class<?>[] types() default {};

    /**
     * Selects the target of the clients.
     *
     * @return a name below {@code rdma.client.targets}
     */
    String target() default "default";

    /** Container for several annotations on one class. */
    @Documented
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Import(ImportedServicesRegistrar.class)
    @interface Container {

        /**
         * Returns the annotations.
         *
         * @return in the order of declaration
         */
        ImportRdmaServices[] value();
    }
}
