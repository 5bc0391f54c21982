package io.rdmarpc.cli;

/** Lines in the format of {@code ibv_devinfo}: a name, a colon, tabs up to a column, a value. */
final class InfoLines {

    private static final int TAB = 8;

    private final StringBuilder text = new StringBuilder();
    private final int indent;
    private final int column;

    /**
     * Creates an empty text.
     *
     * @param indent number of tabs before a name
     * @param column number of tabs before a value
     */
    InfoLines(int indent, int column) {
        this.indent = indent;
        this.column = column;
    }

    InfoLines add(String name, Object value) {
        int position = indent * TAB + name.length() + 1;
        text.append("\t".repeat(indent)).append(name).append(':');
        text.append("\t".repeat(Math.max(1, Math.ceilDiv(column * TAB - position, TAB))));
        text.append(value).append('\n');
        return this;
    }

    /** Appends a line with a value below the previous value. */
    InfoLines below(Object value) {
        text.append("\t".repeat(column)).append(value).append('\n');
        return this;
    }

    InfoLines append(Object other) {
        text.append(other);
        return this;
    }

    static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    static String hex(int value, int digits) {
        return ("0x%0" + digits + "x").formatted(value);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
