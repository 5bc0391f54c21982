package io.rdmarpc.verbs;

/**
 * Sanitizes text from a peer for logs, exception messages, metrics and pages. A peer chooses the bytes. Unsanitized
 * text could forge log lines, move a terminal's cursor, or reverse the direction of text.
 *
 * <p>Line breaks and tabs become spaces. Other control characters, format characters (which include direction marks),
 * lone surrogates and unassigned code points become question marks. Text over the limit is cut and ends with three
 * dots.
 */
public final class PeerText {

    /** Maximum length of a text in characters. */
    public static final int MAX_CHARS = 200;

    /** Maximum length in characters of an explanation for a user, such as a rejection or a contract difference. */
    public static final int MAX_DETAIL_CHARS = 2_000;

    private static final String CUT = "...";
    private static final char UNPRINTABLE = '?';

    private PeerText() {}

    /**
     * Sanitizes a text.
     *
     * @param text as the peer sent it
     * @return the same text if it needs no change, at most {@value #MAX_CHARS} characters
     */
    public static String of(String text) {
        return of(text, MAX_CHARS);
    }

    /**
     * Sanitizes an explanation for a user.
     *
     * @param text as the peer sent it
     * @return the same text if it needs no change, at most {@value #MAX_DETAIL_CHARS} characters
     */
    public static String detail(String text) {
        return of(text, MAX_DETAIL_CHARS);
    }

    /**
     * Sanitizes a text.
     *
     * @param text as the peer sent it
     * @param maxChars maximum length of the result, 3 or more
     * @return the same text if it needs no change
     */
    public static String of(String text, int maxChars) {
        int end = text.length() <= maxChars ? text.length() : endBefore(text, maxChars - CUT.length());
        int firstBad = firstUnprintable(text, end);
        if (firstBad == text.length()) {
            return text;
        }
        StringBuilder clean = new StringBuilder(end + CUT.length()).append(text, 0, firstBad);
        for (int at = firstBad; at < end; ) {
            int character = text.codePointAt(at);
            clean.appendCodePoint(cleaned(character));
            at += Character.charCount(character);
        }
        return end < text.length() ? clean.append(CUT).toString() : clean.toString();
    }

    /** Returns an index of at most {@code max} that does not split a surrogate pair. */
    private static int endBefore(String text, int max) {
        return max > 0 && Character.isSurrogatePair(text.charAt(max - 1), text.charAt(max)) ? max - 1 : max;
    }

    private static int firstUnprintable(String text, int end) {
        int at = 0;
        while (at < end) {
            int character = text.codePointAt(at);
            if (cleaned(character) != character) {
                return at;
            }
            at += Character.charCount(character);
        }
        return at;
    }

    private static int cleaned(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL -> isBreak(character) ? ' ' : UNPRINTABLE;
            case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> ' ';
            case Character.FORMAT, Character.SURROGATE, Character.UNASSIGNED -> UNPRINTABLE;
            default -> character;
        };
    }

    private static boolean isBreak(int character) {
        return character == '\n' || character == '\r' || character == '\t' || character == 0x85;
    }
}
