package io.rdmarpc.docs;

import io.rdmarpc.autoconfigure.properties.Presets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DefaultValue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The metadata of the settings as tables. Settings of the values of maps are from the source code. */
record PropertyTables(List<Row> rows) {

    /** A map whose values are records: the metadata has the map, but not the settings of its values. */
    private static final Pattern MAP = Pattern.compile("java\\.util\\.Map<java\\.lang\\.String,([\\w.$]+)>");

    private static final Pattern COMPONENT = Pattern.compile("@param (\\w+) (.*?)(?=@param |\\*/)", Pattern.DOTALL);

    /** A line break of a Javadoc comment, with the asterisk that follows. */
    private static final String CONTINUATION = "\\s*\\n\\s*\\*\\s+";

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
                rows.addAll(rowsOfValues(property));
            }
        }
        rows.sort(Comparator.comparing(Row::name));
        return new PropertyTables(rows);
    }

    private static JsonNode metadata() {
        try (InputStream in = Objects.requireNonNull(
                PropertyTables.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            return JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Row row(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        String type = type(property.path("type").asString(""));
        return new Row(
                property.get("name").asString(),
                type,
                value.isArray() ? list(value) : spelled(value.asString(""), type),
                property.path("description").asString(""));
    }

    /** Returns a value as its type lists it. The metadata writes constants of Spring's enums with underscores. */
    private static String spelled(String value, String type) {
        String withDashes = value.replace('_', '-');
        return type.contains("`" + withDashes + "`") ? withDashes : value;
    }

    /** Returns a row for each setting of the values of a map. Other properties have none. */
    private static List<Row> rowsOfValues(JsonNode property) {
        Matcher map = MAP.matcher(property.path("type").asString(""));
        if (!map.matches()) {
            return List.of();
        }
        // Names of services contain dots, so they must be in brackets.
        String key = property.path("description").asString("").contains("in brackets") ? "[<name>]" : ".<name>";
        String prefix = property.get("name").asString() + key + ".";
        Class<?> values = load(map.group(1));
        Map<String, String> descriptions = descriptions(values);
        Parameter[] parameters = values.getDeclaredConstructors()[0].getParameters();
        RecordComponent[] components = values.getRecordComponents();
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            rows.add(new Row(
                    prefix + withDashes(component.getName()),
                    type(component.getGenericType().getTypeName()),
                    defaultValue(parameters[i]),
                    Objects.requireNonNull(descriptions.get(component.getName()), component.getName())));
        }
        return rows;
    }

    private static String withDashes(String component) {
        return component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String defaultValue(Parameter parameter) {
        DefaultValue value = parameter.getAnnotation(DefaultValue.class);
        return value == null ? "" : String.join(", ", value.value());
    }

    /** Returns the Javadoc of a record's components by their names, from its source. */
    private static Map<String, String> descriptions(Class<?> type) {
        Path source = Path.of("src/main/java", type.getNestHost().getName().replace('.', '/') + ".java");
        try {
            String text = Files.readString(source);
            int declaration = text.indexOf("record " + type.getSimpleName() + "(");
            String comment = text.substring(text.lastIndexOf("/**", declaration), declaration);
            Map<String, String> descriptions = new HashMap<>();
            Matcher component = COMPONENT.matcher(comment);
            while (component.find()) {
                String description = component.group(2).replaceAll(CONTINUATION, " ");
                descriptions.put(component.group(1), description.strip());
            }
            return descriptions;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String list(JsonNode values) {
        return values.isEmpty()
                ? ""
                : values.valueStream().map(JsonNode::asString).collect(Collectors.joining(", ", "[", "]"));
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String type(String name) {
        Class<?> type = load(name.replaceAll("<.*", ""));
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .map(each -> "`" + each.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
                    .collect(Collectors.joining(", "));
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
