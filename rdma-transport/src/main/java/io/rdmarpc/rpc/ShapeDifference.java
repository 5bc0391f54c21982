package io.rdmarpc.rpc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Describes how the shapes of one type differ, by their members. A shape has the form {@code kind(name: type, name:
 * type)} or {@code kind(NAME, NAME)}. If it starts with {@code evolving}, additional members on either side do not
 * count as a difference. Any other text is compared as a whole.
 */
final class ShapeDifference {

    private static final String EVOLVING = "evolving ";

    /** A parsed shape: its kind, and its members with their types. */
    private record Parts(String kind, Map<String, String> members) {

        static @Nullable Parts of(String shape) {
            int open = shape.indexOf('(');
            if (open < 0 || !shape.endsWith(")")) {
                return null;
            }
            Map<String, String> members = new LinkedHashMap<>();
            for (String member : split(shape.substring(open + 1, shape.length() - 1))) {
                int colon = member.indexOf(": ");
                members.put(
                        colon < 0 ? member : member.substring(0, colon), colon < 0 ? "" : member.substring(colon + 2));
            }
            return new Parts(shape.substring(0, open), members);
        }

        /** Splits at commas that are outside a generic type. */
        private static List<String> split(String members) {
            List<String> result = new ArrayList<>();
            int depth = 0;
            int start = 0;
            for (int i = 0; i < members.length(); i++) {
                char c = members.charAt(i);
                depth += c == '<' ? 1 : c == '>' ? -1 : 0;
                if (c == ',' && depth == 0) {
                    result.add(members.substring(start, i).strip());
                    start = i + 1;
                }
            }
            if (start < members.length()) {
                result.add(members.substring(start).strip());
            }
            return result;
        }
    }

    private ShapeDifference() {}

    /** Returns whether a type may exist on one side only. */
    static boolean isEvolving(ServiceContract.Type type) {
        return type.shape().startsWith(EVOLVING);
    }

    /** Returns the differences; empty if the shapes are compatible. */
    static String describe(ServiceContract.Type client, ServiceContract.Type server) {
        if (client.shape().equals(server.shape())) {
            return "";
        }
        Parts there = Parts.of(client.shape());
        Parts here = Parts.of(server.shape());
        if (there == null || here == null || !there.kind().equals(here.kind())) {
            return "type " + client.name() + " is " + client.shape() + " at the client and " + server.shape()
                    + " at the server";
        }
        List<String> differences = members(there.members(), here.members(), isEvolving(client));
        if (differences.isEmpty() && isEvolving(client)) {
            return "";
        }
        if (differences.isEmpty()) {
            differences.add("the order is " + String.join(", ", there.members().keySet()) + " at the client and "
                    + String.join(", ", here.members().keySet()) + " at the server");
        }
        return "type " + client.name() + " differs: " + String.join(", ", differences);
    }

    private static List<String> members(Map<String, String> client, Map<String, String> server, boolean evolving) {
        List<String> differences = new ArrayList<>();
        client.forEach((name, type) -> {
            String other = server.get(name);
            if (other == null && !evolving) {
                differences.add("only the client has " + name);
            } else if (other != null && !other.equals(type)) {
                differences.add(name + " is " + type + " at the client and " + other + " at the server");
            }
        });
        server.keySet().stream()
                .filter(name -> !evolving && !client.containsKey(name))
                .forEach(name -> differences.add("only the server has " + name));
        return differences;
    }
}
