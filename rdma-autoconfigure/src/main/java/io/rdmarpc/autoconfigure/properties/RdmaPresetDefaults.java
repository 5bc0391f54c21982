package io.rdmarpc.autoconfigure.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Adds the settings of {@code rdma.preset} as the property source of lowest precedence, after the configuration files
 * are read. They appear in {@code /actuator/env} with the preset as their source.
 */
final class RdmaPresetDefaults implements EnvironmentPostProcessor, Ordered {

    static final String SOURCE = "rdmaPreset";

    RdmaPresetDefaults() {}

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Binder binder = Binder.get(environment);
        Map<String, Object> defaults = new LinkedHashMap<>();
        preset(binder).defaults().forEach((name, value) -> {
            // The application's own default properties may be added after these. They take precedence in that case
            // too.
            if (!binder.bind(name, String.class).isBound()) {
                defaults.put(name, value);
            }
        });
        environment.getPropertySources().remove(SOURCE);
        if (!defaults.isEmpty()) {
            environment.getPropertySources().addLast(new MapPropertySource(SOURCE, defaults));
        }
    }

    private static RdmaPreset preset(Binder binder) {
        try {
            return binder.bind(RdmaPreset.PROPERTY, Bindable.of(RdmaPreset.class))
                    .orElse(RdmaPreset.BALANCED);
        } catch (BindException e) {
            // Binding of the properties reports this error, with the valid names.
            return RdmaPreset.BALANCED;
        }
    }

    @Override
    public int getOrder() {
        return ConfigDataEnvironmentPostProcessor.ORDER + 1;
    }
}
