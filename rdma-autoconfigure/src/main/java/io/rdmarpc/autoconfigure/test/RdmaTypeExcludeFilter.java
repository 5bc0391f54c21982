package io.rdmarpc.autoconfigure.test;

import io.rdmarpc.annotation.RdmaService;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.core.type.filter.TypeFilter;

/** Excludes components that are not services. */
final class RdmaTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<RdmaTest> {

    /** Also matches the annotation on an interface of the component. */
    private static final TypeFilter SERVICE = new AnnotationTypeFilter(RdmaService.class, true, true);

    private final Set<Class<?>> services;

    RdmaTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
        this.services = Set.of(getAnnotation().getClassArray("services"));
    }

    @Override
    protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
        return services.isEmpty() ? SERVICE.match(reader, factory) : super.defaultInclude(reader, factory);
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return services;
    }
}
