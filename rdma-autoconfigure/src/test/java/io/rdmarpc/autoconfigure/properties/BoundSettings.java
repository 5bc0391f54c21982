package io.rdmarpc.autoconfigure.properties;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The bound RDMA settings, for tests of other packages. */
public final class BoundSettings {

    private final RdmaProperties settings;

    private BoundSettings(RdmaProperties settings) {
        this.settings = settings;
    }

    /** Binds known settings and ignores unknown ones. */
    public static BoundSettings of(Binder binder) {
        return of(binder, BindHandler.DEFAULT);
    }

    /** Binds all settings. An unknown setting throws an exception. */
    public static BoundSettings ofKnownOnly(Binder binder) {
        return of(binder, new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }

    private static BoundSettings of(Binder binder, BindHandler handler) {
        return new BoundSettings(binder.bindOrCreate("rdma", Bindable.of(RdmaProperties.class), handler));
    }

    public String preset() {
        return settings.preset().name();
    }

    public @Nullable String token() {
        return settings.security().token();
    }

    public boolean hugePages() {
        return settings.memory().hugePages();
    }

    /** A context with the settings only, which are validated as in an application. */
    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RdmaProperties.class)
    @Import(Looked.class)
    public static class Configured {}

    @Configuration(proxyBeanMethods = false)
    static class Looked {

        @Bean
        static SettingsValidator.Advisor settingsValidator() {
            return new SettingsValidator.Advisor();
        }
    }
}
