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
 * Looks at our own settings when they are bound, so that a bad one fails as those with constraints do, with its property,
 * value and origin. Not a bean itself: an application has one Validator, which is not this.
 */
public final class SettingsValidator implements Validator {

    /** Adds the validation of our settings, and the search for old names, to the binding of all properties. */
    public static final class Advisor implements ConfigurationPropertiesBindHandlerAdvisor {

        @Override
        public BindHandler apply(BindHandler handler) {
            return new OldNamesHandler(new ValidationBindHandler(handler, new SettingsValidator()));
        }
    }

    /** Looks for old names before the outermost group is bound: some are names of groups now, which no value binds to. */
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
