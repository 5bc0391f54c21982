package io.rdmarpc.docs.samples;

import io.rdmarpc.autoconfigure.properties.BoundSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Settings in YAML, as Spring Boot reads them.
 *
 * @param name name of the file or page
 * @param sources one source for each document
 */
record SettingsFile(String name, List<PropertySource<?>> sources) {

    /** Settings that samples leave to the environment. */
    static final PropertySource<?> ENVIRONMENT =
            new MapPropertySource("environment", Map.of("RDMA_TOKEN", "0123456789abcdef0123456789abcdef"));

    static SettingsFile of(Path file) {
        try {
            return of(file.getFileName().toString(), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SettingsFile of(String name, String yaml) throws IOException {
        return new SettingsFile(
                name,
                new YamlPropertySourceLoader()
                        .load(name, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8))));
    }

    /** Binds the RDMA settings. An unknown setting throws an exception. */
    BoundSettings bind() {
        MutablePropertySources all = new MutablePropertySources();
        sources.forEach(all::addLast);
        all.addLast(ENVIRONMENT);
        Binder binder =
                new Binder(ConfigurationPropertySources.from(all), new PropertySourcesPlaceholdersResolver(all));
        return BoundSettings.ofKnownOnly(binder);
    }

    List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (PropertySource<?> source : sources) {
            Collections.addAll(keys, ((EnumerablePropertySource<?>) source).getPropertyNames());
        }
        return keys;
    }

    /** Returns whether the metadata on the class path has the key, or a map that it is an entry of. */
    static boolean isKnown(String key, Map<String, String> types) {
        String name = key.replaceAll("\\[.*", "");
        if (types.containsKey(name)) {
            return true;
        }
        for (int dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
            String type = types.get(name.substring(0, dot));
            if (type != null) {
                return type.startsWith("java.util.Map");
            }
        }
        return false;
    }

    /** Returns the types of all settings of all libraries on the class path by name, without deprecated ones. */
    static Map<String, String> types() throws IOException {
        Map<String, String> types = new HashMap<>();
        for (URL metadata : Collections.list(
                SettingsFile.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = metadata.openStream()) {
                for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                    if (property.path("deprecation").isMissingNode()) {
                        types.put(
                                property.path("name").asString(""),
                                property.path("type").asString(""));
                    }
                }
            }
        }
        return types;
    }
}
