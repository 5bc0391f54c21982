package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** Registers the clients of {@link ImportRdmaServices}. */
final class ImportedServicesRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;
    private final ResourceLoader resourceLoader;

    ImportedServicesRegistrar(Environment environment, ResourceLoader resourceLoader) {
        this.environment = environment;
        this.resourceLoader = resourceLoader;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        if (!isEnabled("rdma.enabled") || !isEnabled("rdma.client.enabled")) {
            return;
        }
        RdmaClientDefinitions definitions = new RdmaClientDefinitions(registry, environment, resourceLoader);
        metadata.getMergedRepeatableAnnotationAttributes(
                        ImportRdmaServices.class, ImportRdmaServices.Container.class, false)
                .forEach(wanted -> register(wanted, metadata.getClassName(), definitions));
    }

    private boolean isEnabled(String property) {
        return environment.getProperty(property, Boolean.class, true);
    }

    private static void register(AnnotationAttributes wanted, String configuration, RdmaClientDefinitions definitions) {
        Class<?>[] types = wanted.getClassArray("types");
        Arrays.stream(types).forEach(type -> requireService(type, configuration));
        Set<Class<?>> services = new LinkedHashSet<>(Arrays.asList(types));
        services.addAll(definitions.scan(packagesOf(wanted, configuration, types.length == 0)));
        String target = wanted.getString("target");
        services.forEach(service -> definitions.register(service, target, !definitions.hasUnnamed(service)));
    }

    private static Set<String> packagesOf(AnnotationAttributes wanted, String configuration, boolean ownByDefault) {
        Set<String> packages = new LinkedHashSet<>(Arrays.asList(wanted.getStringArray("basePackages")));
        for (Class<?> each : wanted.getClassArray("basePackageClasses")) {
            packages.add(each.getPackageName());
        }
        if (packages.isEmpty() && ownByDefault) {
            packages.add(ClassUtils.getPackageName(configuration));
        }
        return packages;
    }

    private static void requireService(Class<?> type, String configuration) {
        if (!type.isInterface() || !type.isAnnotationPresent(RdmaService.class)) {
            throw new RdmaInvalidServiceException(
                    "@ImportRdmaServices on " + configuration + " names " + type.getName() + ", which is not a service",
                    "Name an interface that is annotated with @RdmaService");
        }
    }
}
