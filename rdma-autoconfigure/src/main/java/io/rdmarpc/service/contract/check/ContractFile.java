package io.rdmarpc.service.contract.check;

import io.rdmarpc.rpc.ServiceContract;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a contract: one line for the service, each method and each type. Equal contracts have equal texts.
 *
 * <pre>
 * contract 1
 * service com.example.Orders
 * method 0x1f0c22ab java.lang.String place(com.example.Order)
 * type (serializer) Kryo, form 4, references=false
 * type com.example.Order record(id: long, article: java.lang.String)
 * </pre>
 *
 * <p>Methods are in order of their signatures, types in order of their numbers. Whitespace in a name, and control characters
 * and percent signs everywhere, are written as {@code %} and two hexadecimal digits of each byte in UTF-8.
 */
final class ContractFile {

    static final String FORM = "1";

    private static final String HEADER = """
            # The contract of a service, which rdma-rpc compares with the code. Commit this file, and do not edit it.
            # Methods have their numbers in packets. Types are in order of their numbers in messages.
            """;

    private ContractFile() {}

    static String write(ServiceContract contract) {
        StringBuilder text = new StringBuilder(HEADER);
        text.append("contract ").append(FORM).append('\n');
        text.append("service ").append(escape(contract.name(), false)).append('\n');
        for (ServiceContract.Method method : contract.methods()) {
            text.append(String.format(Locale.ROOT, "method 0x%08x ", method.id()))
                    .append(escape(method.signature(), false))
                    .append('\n');
        }
        for (ServiceContract.Type type : contract.types()) {
            text.append("type ")
                    .append(escape(type.name(), true))
                    .append(' ')
                    .append(escape(type.shape(), false))
                    .append('\n');
        }
        return text.toString();
    }

    private static String escape(String text, boolean isName) {
        StringBuilder result = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '%' || Character.isISOControl(c) || (isName && Character.isWhitespace(c))) {
                for (byte each : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
                    result.append('%').append(HexFormat.of().toHexDigits(each));
                }
            } else {
                result.appendCodePoint(c);
            }
        });
        return result.toString();
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if it is not a contract; the message has the number of the line
     */
    static ServiceContract read(String text) {
        String service = null;
        String form = null;
        List<ServiceContract.Method> methods = new ArrayList<>();
        List<ServiceContract.Type> types = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split(" ", 3);
            try {
                switch (words[0]) {
                    case "contract" ->
                        form = requireForm(line.substring("contract".length()).strip());
                    case "service" -> service = requireFirst(service, unescape(line.substring("service ".length())));
                    case "method" -> methods.add(new ServiceContract.Method(idOf(words[1]), unescape(words[2])));
                    case "type" -> types.add(new ServiceContract.Type(unescape(words[1]), unescape(words[2])));
                    default -> throw new IllegalArgumentException("it starts with " + words[0]);
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new IllegalArgumentException(
                        "line " + number + " is not valid (" + e.getMessage() + "): " + line, e);
            }
        }
        if (form == null || service == null) {
            throw new IllegalArgumentException(
                    "it has no line that starts with " + (form == null ? "\"contract \"" : "\"service \""));
        }
        return new ServiceContract(service, methods, types);
    }

    private static String requireForm(String form) {
        if (!form.equals(FORM)) {
            throw new IllegalArgumentException("this release of rdma-rpc reads form " + FORM);
        }
        return form;
    }

    private static String requireFirst(@Nullable String before, String service) {
        if (before != null) {
            throw new IllegalArgumentException("a file has one service");
        }
        return service;
    }

    private static int idOf(String word) {
        if (!word.startsWith("0x")) {
            throw new IllegalArgumentException("a method has a hexadecimal number");
        }
        return Integer.parseUnsignedInt(word.substring(2), 16);
    }

    private static String unescape(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '%') {
                out[length++] = (byte) (HexFormat.fromHexDigit(in[i + 1]) << 4 | HexFormat.fromHexDigit(in[i + 2]));
                i += 2;
            } else {
                out[length++] = in[i];
            }
        }
        return new String(out, 0, length, StandardCharsets.UTF_8);
    }
}
