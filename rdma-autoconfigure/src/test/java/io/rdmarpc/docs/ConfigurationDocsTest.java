package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of settings names every property there is, and none that there is not. */
class ConfigurationDocsTest {

    private static final Pattern PROPERTY_NAME =
            Pattern.compile("\"name\": \"(rdma\\.[a-z0-9.-]+)\",\\s+\"type\": \"(?:java|org|io\\.rdmarpc\\.rpc)");
    private static final Pattern PAGE_ROW = Pattern.compile("(?m)^\\| `(rdma\\.[a-z0-9.-]+)` ");

    @Test
    void thePageListsTheProperties() throws IOException {
        String page = Files.readString(Path.of("../docs/configuration.md"));
        assertThat(matches(PAGE_ROW, page)).isEqualTo(matches(PROPERTY_NAME, metadata()));
    }

    private static String metadata() throws IOException {
        try (InputStream in =
                ConfigurationDocsTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Set<String> matches(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        assertThat(names).isNotEmpty();
        return names;
    }
}
