package io.rdmarpc.verbs;

/**
 * Makes text of a peer fit for logs, exception messages, metrics and pages. A peer chooses its bytes: without this it could
 * forge lines of a log, move a terminal's cursor, or reverse what a reader sees.
 *
 * <p>Line breaks and tabs become spaces. Other control characters, format characters (which include those that change the
 * direction of text), lone surrogates and code points without a character become question marks. What is too long ends
 * with three dots.
 */
public final class PeerText {

    /** Most characters of a text. */
    public static final int MOST_CHARS = 200;

    /** Most characters of a text that explains to a user what to do, such as a rejection or a contract difference. */
    public static final int MOST_DETAIL_CHARS = 2_000;

    private static final String CUT = "...";
    private static final char UNPRINTABLE = '?';

    private PeerText() {}

    /**
     * Cleans a text.
     *
     * @param text as the peer sent it
     * @return the same text where it is clean, at most {@value #MOST_CHARS} characters
     */
    public static String of(String text) {
        return of(text, MOST_CHARS);
    }

    /**
     * Cleans a text that explains what to do.
     *
     * @param text as the peer sent it
     * @return the same text where it is clean, at most {@value #MOST_DETAIL_CHARS} characters
     */
    public static String detail(String text) {
        return of(text, MOST_DETAIL_CHARS);
    }

    /**
     * Cleans a text.
     *
     * @param text as the peer sent it
     * @param mostChars the longest result, 3 or more
     * @return the same text where it is clean and short enough
     */
    public static String of(String text, int mostChars) {
        int end = text.length() <= mostChars ? text.length() : endBefore(text, mostChars - CUT.length());
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

    /** Between two characters, never inside of one. */
    private static int endBefore(String text, int most) {
        return most > 0 && Character.isSurrogatePair(text.charAt(most - 1), text.charAt(most)) ? most - 1 : most;
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
