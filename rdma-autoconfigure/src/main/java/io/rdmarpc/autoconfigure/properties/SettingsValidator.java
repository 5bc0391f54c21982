package io.rdmarpc.autoconfigure.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * Looks at our own settings when they are bound, so that a bad one fails as those with constraints do, with its property,
 * value and origin. Not a bean itself: an application has one Validator, which is not this.
 */
public final class SettingsValidator implements Validator {

    /** Has all settings looked at that are ours. */
    public static final class Advisor implements ConfigurationPropertiesBindHandlerAdvisor {

        @Override
        public BindHandler apply(BindHandler handler) {
            return new ValidationBindHandler(handler, new SettingsValidator());
        }
    }

    /** A group within others is looked at by the outermost one, so that one failure tells all that is wrong. */
    @Override
    public boolean supports(Class<?> type) {
        return CheckedSettings.class.isAssignableFrom(type) && type.isAnnotationPresent(ConfigurationProperties.class);
    }

    @Override
    public void validate(Object settings, Errors errors) {
        ((CheckedSettings) settings).check(new SettingsCheck(errors));
    }
}
