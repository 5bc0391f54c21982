package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.verbs.PeerText;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The encoding of {@link RdmaErrorDetails} behind a {@link FailureText}, little-endian, without padding. The retry delay
 * is a field of the failure text.
 *
 * <pre>
 *   details    format u8 (1) | part ...
 *   part       tag u8 | length u16 | body
 *   text       length u16 | UTF-8
 *
 *   1 VIOLATION  field text | description text | code text        2 RESOURCE  type text | name text | owner text
 *                                                                             | description text
 *   3 REASON     reason text | domain text                        4 METADATA  key text | value text
 *   5 DEBUG      UTF-8                                            6 CUT       -
 * </pre>
 *
 * A reader ignores details of another format, parts with an unknown tag, and bytes behind the fields of a part that it
 * knows. Decoding accepts any bytes and never throws. It omits a part whose texts exceed its body, stops at a part that
 * exceeds the bytes, and marks the details as truncated. Texts of the peer are {@linkplain PeerText sanitized}.
 */
final class ErrorDetailsCodec {

    /** Maximum length of a text in bytes, except the debug text. */
    static final int MAX_TEXT_BYTES = 1024;

    /** Maximum number of field violations, and of metadata pairs. */
    static final int MAX_ENTRIES = 64;

    private static final int FORMAT = 1;
    private static final int VIOLATION = 1;
    private static final int RESOURCE = 2;
    private static final int REASON = 3;
    private static final int METADATA = 4;
    private static final int DEBUG = 5;
    private static final int CUT = 6;
    private static final int PART_HEAD = 3;
    private static final String CUT_MARK = "...";

    private ErrorDetailsCodec() {}

    /**
     * Encodes the details, except the retry delay: the reason, the resource, metadata, violations, and the debug text. A
     * part without room is omitted, and later ones may still fit. The debug text is shortened to the rest.
     *
     * @param details the details
     * @param maxBytes maximum length of the result
     * @return the bytes, empty if there is nothing to send or no room
     */
    static byte[] encode(RdmaErrorDetails details, int maxBytes) {
        // The format and the mark of truncated details always have room.
        int room = maxBytes - 1 - PART_HEAD;
        if (room < 0 || details.hasOnlyRetryDelay()) {
            return new byte[0];
        }
        Writer writer = new Writer(room, details.isTruncated());
        RdmaErrorDetails.Resource resource = details.resource();
        if (!details.reason().isEmpty() || !details.domain().isEmpty()) {
            writer.part(REASON, details.reason(), details.domain());
        }
        if (resource != null) {
            writer.part(RESOURCE, resource.type(), resource.name(), resource.owner(), resource.description());
        }
        writer.metadata(details.metadata());
        writer.violations(details);
        writer.debug(details.debug());
        return writer.bytes();
    }

    private static final class Writer {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private int room;
        private boolean cut;

        Writer(int room, boolean cut) {
            this.room = room;
            this.cut = cut;
            out.write(FORMAT);
        }

        /** Returns false if the part has no room. */
        boolean part(int tag, String... texts) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            for (String text : texts) {
                byte[] utf8 = shortened(text, MAX_TEXT_BYTES);
                writeShort(body, utf8.length);
                body.writeBytes(utf8);
            }
            return append(tag, body.toByteArray());
        }

        private boolean append(int tag, byte[] body) {
            if (PART_HEAD + body.length > room) {
                cut = true;
                return false;
            }
            room -= PART_HEAD + body.length;
            out.write(tag);
            writeShort(out, body.length);
            out.writeBytes(body);
            return true;
        }

        private byte[] shortened(String text, int most) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            if (utf8.length <= most) {
                return utf8;
            }
            cut = true;
            byte[] prefix = FailureText.cut(text, most - CUT_MARK.length());
            ByteArrayOutputStream marked = new ByteArrayOutputStream(most);
            marked.writeBytes(prefix);
            marked.writeBytes(CUT_MARK.getBytes(StandardCharsets.US_ASCII));
            return marked.toByteArray();
        }

        void metadata(Map<String, String> pairs) {
            int count = 0;
            for (Map.Entry<String, String> pair : pairs.entrySet()) {
                if (count++ == MAX_ENTRIES) {
                    cut = true;
                    return;
                }
                part(METADATA, pair.getKey(), pair.getValue());
            }
        }

        void violations(RdmaErrorDetails details) {
            int count = 0;
            for (RdmaErrorDetails.FieldViolation each : details.fieldViolations()) {
                if (count++ == MAX_ENTRIES) {
                    cut = true;
                    return;
                }
                part(VIOLATION, each.field(), each.description(), each.code());
            }
        }

        void debug(String text) {
            int most = room - PART_HEAD;
            if (text.isEmpty()) {
                return;
            }
            if (most <= CUT_MARK.length()) {
                cut = true;
            } else {
                append(DEBUG, shortened(text, most));
            }
        }

        byte[] bytes() {
            if (cut) {
                out.write(CUT);
                writeShort(out, 0);
            }
            return out.toByteArray();
        }

        private static void writeShort(ByteArrayOutputStream to, int value) {
            to.write(value);
            to.write(value >>> Byte.SIZE);
        }
    }

    /**
     * Decodes details into a builder.
     *
     * @param bytes any bytes
     * @param builder receives the parts
     */
    static void decode(byte[] bytes, RdmaErrorDetails.Builder builder) {
        if (bytes.length == 0 || bytes[0] != FORMAT) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1).order(ByteOrder.LITTLE_ENDIAN);
        Reader reader = new Reader(builder);
        try {
            while (in.hasRemaining()) {
                int tag = Byte.toUnsignedInt(in.get());
                reader.part(tag, slice(in, Short.toUnsignedInt(in.getShort())));
            }
        } catch (BufferUnderflowException e) {
            builder.truncated();
        }
    }

    /** Returns the next bytes as a buffer of their own. */
    private static ByteBuffer slice(ByteBuffer in, int length) {
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer part = in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + length);
        return part;
    }

    private static final class Reader {

        private final RdmaErrorDetails.Builder builder;
        private int violations;
        private int pairs;

        Reader(RdmaErrorDetails.Builder builder) {
            this.builder = builder;
        }

        /** Omits a part whose texts exceed its body. */
        void part(int tag, ByteBuffer body) {
            try {
                read(tag, body);
            } catch (BufferUnderflowException e) {
                builder.truncated();
            }
        }

        private void read(int tag, ByteBuffer body) {
            switch (tag) {
                case VIOLATION -> violation(body);
                case RESOURCE ->
                    builder.resource(new RdmaErrorDetails.Resource(text(body), text(body), text(body), text(body)));
                case REASON -> builder.reason(text(body), text(body));
                case METADATA -> pair(body);
                case DEBUG -> builder.debug(lines(string(body, body.remaining())));
                case CUT -> builder.truncated();
                default -> {
                    // A later version added this part.
                }
            }
        }

        private void violation(ByteBuffer body) {
            if (violations++ < MAX_ENTRIES) {
                builder.fieldViolation(text(body), text(body), text(body));
            } else {
                builder.truncated();
            }
        }

        private void pair(ByteBuffer body) {
            if (pairs++ < MAX_ENTRIES) {
                builder.metadata(text(body), text(body));
            } else {
                builder.truncated();
            }
        }

        private static String text(ByteBuffer body) {
            String text = string(body, Short.toUnsignedInt(body.getShort()));
            return PeerText.of(text, Math.max(CUT_MARK.length(), text.length()));
        }

        private static String string(ByteBuffer body, int length) {
            return StandardCharsets.UTF_8.decode(slice(body, length)).toString();
        }

        /** Sanitizes each line, because line breaks of a stack trace are kept. */
        private static String lines(String text) {
            return text.lines()
                    .map(line -> PeerText.of(line, Math.max(CUT_MARK.length(), line.length())))
                    .collect(Collectors.joining("\n"));
        }
    }
}
