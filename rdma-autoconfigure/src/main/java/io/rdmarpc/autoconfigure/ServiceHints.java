package io.rdmarpc.autoconfigure;

import io.rdmarpc.service.DetailedFailure;
import io.rdmarpc.service.client.RdmaProxy;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceInterfaces;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Registers hints for a native image: the proxies of clients, the methods of services, and the types of arguments and
 * results. They are found by reflection only.
 */
final class ServiceHints implements BeanFactoryInitializationAotProcessor {

    private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

    ServiceHints() {}

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beanFactory) {
        Set<Class<?>> services = services(beanFactory);
        return services.isEmpty() ? null : new Contribution(List.copyOf(services));
    }

    /**
     * Returns the services that beans implement and that clients call. A client's bean has the type of its service.
     */
    private static Set<Class<?>> services(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> services = new LinkedHashSet<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = beans.getType(name, false);
            if (type != null) {
                services.addAll(ServiceInterfaces.of(type));
            }
        }
        return services;
    }

    /** Writes the hints. */
    private record Contribution(List<Class<?>> services) implements BeanFactoryInitializationAotContribution {

        @Override
        public void applyTo(GenerationContext context, BeanFactoryInitializationCode code) {
            services.forEach(service -> register(context.getRuntimeHints(), service));
        }
    }

    static void register(RuntimeHints hints, Class<?> service) {
        hints.proxies().registerJdkProxy(service, RdmaProxy.class);
        hints.reflection().registerType(service, MemberCategory.INVOKE_PUBLIC_METHODS);
        ServiceDescription description = ServiceDescription.of(service);
        description.methods().forEach(method -> registerTypes(hints, method));
        description.methods().forEach(method -> registerFailures(hints, method));
    }

    private static void registerTypes(RuntimeHints hints, ServiceMethod method) {
        Stream.concat(method.parameters().stream(), Stream.of(method.result()))
                .map(type -> type.getType())
                .forEach(type -> registerBinding(hints, type));
    }

    /** Registers what clients need to create declared exceptions, and what servers need to read their fields. */
    private static void registerFailures(RuntimeHints hints, ServiceMethod method) {
        for (Class<?> type : method.declaration().getExceptionTypes()) {
            hints.reflection()
                    .registerType(
                            type,
                            MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
                            MemberCategory.INVOKE_DECLARED_METHODS,
                            MemberCategory.ACCESS_DECLARED_FIELDS);
        }
        DetailedFailure.of(method).stream()
                .flatMap(failure -> failure.fields().stream())
                .forEach(field -> registerBinding(hints, field.type().getType()));
    }

    private static void registerBinding(RuntimeHints hints, Type type) {
        BINDING.registerReflectionHints(hints.reflection(), new Type[] {type});
    }
}
