package io.rdmarpc.autoconfigure.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * Validates this library's settings when they are bound. An invalid setting fails like one with constraints, with its
 * property, value and origin. This is not a bean, because an application has one {@code Validator} bean for other
 * purposes.
 */
public final class SettingsValidator implements Validator {

    /** Adds the validation of these settings, and the check for old names, to the binding of all properties. */
    public static final class Advisor implements ConfigurationPropertiesBindHandlerAdvisor {

        @Override
        public BindHandler apply(BindHandler handler) {
            return new OldNamesHandler(new ValidationBindHandler(handler, new SettingsValidator()));
        }
    }

    /**
     * Checks for old names before the outermost group is bound. Some old names are group names now, and binding a
     * value to a group fails.
     */
    private static final class OldNamesHandler extends AbstractBindHandler {

        private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("rdma");

        OldNamesHandler(BindHandler parent) {
            super(parent);
        }

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            if (name.equals(ALL)) {
                RenamedProperties.check(context.getSources());
            }
            return super.onStart(name, target, context);
        }
    }

    /** Supports outermost groups only. They validate the nested groups, so that one failure reports all errors. */
    @Override
    public boolean supports(Class<?> type) {
        return CheckedSettings.class.isAssignableFrom(type) && type.isAnnotationPresent(ConfigurationProperties.class);
    }

    @Override
    public void validate(Object settings, Errors errors) {
        ((CheckedSettings) settings).check(new SettingsCheck(errors));
    }
}
