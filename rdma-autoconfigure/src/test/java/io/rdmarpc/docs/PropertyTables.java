package io.rdmarpc.docs;

import io.rdmarpc.autoconfigure.properties.Presets;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The metadata of the settings as tables. */
record PropertyTables(List<Row> rows) {

    /** One setting. */
    record Row(String name, String type, String defaultValue, String description) {

        /** What stands before the last but one dot: settings of one group share a table. */
        String group() {
            String[] words = name.split("\\.", -1);
            return words.length <= 2 ? "rdma" : words[0] + "." + words[1];
        }

        private String cells() {
            return "| `" + name + "` | " + type + " | " + (defaultValue.isEmpty() ? "" : "`" + defaultValue + "`")
                    + " | " + description + " |\n";
        }
    }

    static PropertyTables read() {
        List<Row> rows = new ArrayList<>();
        for (JsonNode property : metadata().get("properties")) {
            // Old names are there for IDEs.
            if (property.path("deprecation").isMissingNode()) {
                rows.add(row(property));
            }
        }
        rows.sort(Comparator.comparing(Row::name));
        return new PropertyTables(rows);
    }

    private static JsonNode metadata() {
        try (InputStream in = Objects.requireNonNull(
                PropertyTables.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            return JsonMapper.shared().readTree(in);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Row row(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return new Row(
                property.get("name").asString(),
                type(property.path("type").asString("")),
                value.isArray() ? list(value) : value.asString(""),
                property.path("description").asString(""));
    }

    private static String list(JsonNode values) {
        return values.isEmpty()
                ? ""
                : values.valueStream().map(JsonNode::asString).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String type(String name) {
        try {
            Class<?> type = Class.forName(name.replaceAll("<.*", ""));
            if (type.isEnum()) {
                return Stream.of(type.getEnumConstants())
                        .map(each ->
                                "`" + each.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
                        .collect(Collectors.joining(", "));
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return switch (name) {
            case "java.time.Duration" -> "time";
            case "org.springframework.util.unit.DataSize" -> "size";
            case "java.lang.Boolean" -> "`true`, `false`";
            case "java.lang.Integer", "java.lang.Long" -> "number";
            case "java.lang.Double" -> "share";
            case "java.net.InetAddress" -> "address";
            default ->
                name.startsWith("java.util.List") ? "list" : name.startsWith("java.util.Map") ? "by name" : "text";
        };
    }

    String properties() {
        Map<String, List<Row>> groups =
                rows.stream().collect(Collectors.groupingBy(Row::group, TreeMap::new, Collectors.toList()));
        StringBuilder text = new StringBuilder();
        groups.forEach((group, members) -> {
            text.append("\n### `")
                    .append(group)
                    .append("`\n\n| property | type | default | meaning |\n|---|---|---|---|\n");
            members.forEach(row -> text.append(row.cells()));
        });
        return text.append('\n').toString();
    }

    String presets() {
        StringBuilder text = new StringBuilder("\n| preset | property | value |\n|---|---|---|\n");
        Presets.all()
                .forEach((preset, settings) -> settings.forEach((name, value) -> text.append("| `")
                        .append(preset)
                        .append("` | `")
                        .append(name)
                        .append("` | `")
                        .append(value)
                        .append("` |\n")));
        return text.append('\n').toString();
    }
}
