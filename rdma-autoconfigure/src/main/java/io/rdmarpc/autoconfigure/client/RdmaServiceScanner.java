package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.annotation.RdmaService;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;

/** Finds service interfaces. */
final class RdmaServiceScanner extends ClassPathScanningCandidateComponentProvider {

    RdmaServiceScanner(Environment environment, ResourceLoader resourceLoader) {
        super(false, environment);
        setResourceLoader(resourceLoader);
        addIncludeFilter(new AnnotationTypeFilter(RdmaService.class, false, false));
    }

    @Override
    protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
        return definition.getMetadata().isInterface()
                && definition.getMetadata().isIndependent()
                && !definition.getMetadata().isAnnotation();
    }
}
