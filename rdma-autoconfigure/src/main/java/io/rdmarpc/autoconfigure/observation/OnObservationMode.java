package io.rdmarpc.autoconfigure.observation;

import io.rdmarpc.autoconfigure.properties.RdmaProperties.Observation.Mode;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Resolves {@code auto}. An observation of a call takes several microseconds, and a timer takes a tenth of a
 * microsecond. Observations are therefore used only with a tracer or with an observation handler of the application.
 */
final class OnObservationMode extends SpringBootCondition implements ConfigurationCondition {

    private static final String TRACER = "io.micrometer.tracing.Tracer";
    private static final String HANDLER = "io.micrometer.observation.ObservationHandler";
    private static final String METER_HANDLER = "io.micrometer.core.instrument.observation.MeterObservationHandler";

    OnObservationMode() {}

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Mode wanted = metadata.getAnnotations()
                .get(ConditionalOnObservationMode.class)
                .getEnum("value", Mode.class);
        Mode mode = mode(context);
        return new ConditionOutcome(
                mode == wanted,
                ConditionMessage.forCondition(ConditionalOnObservationMode.class)
                        .because("rdma.observation.mode resolves to "
                                + mode.name().toLowerCase(Locale.ROOT)));
    }

    private static Mode mode(ConditionContext context) {
        Mode mode = Binder.get(context.getEnvironment())
                .bind("rdma.observation.mode", Mode.class)
                .orElse(Mode.AUTO);
        if (mode != Mode.AUTO) {
            return mode;
        }
        return needsObservations(context) ? Mode.OBSERVATION : Mode.TIMER;
    }

    private static boolean needsObservations(ConditionContext context) {
        return names(context, TRACER).length > 0
                || Arrays.stream(names(context, HANDLER)).anyMatch(name -> !isOfMeters(context, name));
    }

    private static boolean isOfMeters(ConditionContext context, String name) {
        Class<?> meterHandler = type(context, METER_HANDLER);
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        return meterHandler != null && beans != null && beans.isTypeMatch(name, meterHandler);
    }

    private static String[] names(ConditionContext context, String className) {
        Class<?> type = type(context, className);
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        return type == null || beans == null ? new String[0] : beans.getBeanNamesForType(type, true, false);
    }

    private static @Nullable Class<?> type(ConditionContext context, String name) {
        ClassLoader loader = context.getClassLoader();
        return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
    }
}
