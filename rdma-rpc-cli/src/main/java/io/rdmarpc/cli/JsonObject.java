package io.rdmarpc.cli;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A JSON object (RFC 8259) whose members keep their order. Its text is indented by two spaces, and contains ASCII
 * characters only, because the encoding of the standard output may have no others.
 */
final class JsonObject {

    private static final String INDENT = "  ";

    private final Map<String, Object> members = new LinkedHashMap<>();

    JsonObject put(String name, String value) {
        return add(name, value);
    }

    JsonObject put(String name, long value) {
        return add(name, value);
    }

    JsonObject put(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no number " + value);
        }
        return add(name, value);
    }

    /**
     * Adds an array.
     *
     * @param name the member's name
     * @param values texts or objects
     */
    JsonObject put(String name, Collection<?> values) {
        return add(name, values);
    }

    private JsonObject add(String name, Object value) {
        if (members.putIfAbsent(name, value) != null) {
            throw new IllegalStateException("the object already has a member " + name);
        }
        return this;
    }

    /** Returns the object as text, without a line break at its end. */
    String text() {
        StringBuilder text = new StringBuilder();
        write(text, "");
        return text.toString();
    }

    private void write(StringBuilder text, String indent) {
        text.append('{');
        String separator = "\n";
        for (Map.Entry<String, Object> member : members.entrySet()) {
            text.append(separator).append(indent).append(INDENT);
            writeText(text, member.getKey());
            text.append(": ");
            writeValue(text, member.getValue(), indent + INDENT);
            separator = ",\n";
        }
        if (!members.isEmpty()) {
            text.append('\n').append(indent);
        }
        text.append('}');
    }

    private static void writeValue(StringBuilder text, Object value, String indent) {
        switch (value) {
            case JsonObject object -> object.write(text, indent);
            case Collection<?> values -> writeArray(text, values, indent);
            case Number number -> text.append(number);
            default -> writeText(text, value.toString());
        }
    }

    private static void writeArray(StringBuilder text, Collection<?> values, String indent) {
        text.append('[');
        for (Iterator<?> left = values.iterator(); left.hasNext(); ) {
            text.append('\n').append(indent).append(INDENT);
            writeValue(text, left.next(), indent + INDENT);
            text.append(left.hasNext() ? "," : "\n" + indent);
        }
        text.append(']');
    }

    private static void writeText(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ' || c > '~') {
                        text.append("\\u%04x".formatted((int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
