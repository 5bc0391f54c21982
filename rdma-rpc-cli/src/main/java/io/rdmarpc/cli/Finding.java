package io.rdmarpc.cli;

/**
 * The result of a check.
 *
 * @param level the severity
 * @param subject the checked item
 * @param text the state of the item
 * @param remedy the remedy, empty if none is necessary
 */
record Finding(Level level, String subject, String text, String remedy) {

    /** The severity of a finding. */
    enum Level {
        /** No problem. */
        OK,
        /** Works, but with less performance than possible, or only for some users. */
        WARN,
        /** Does not work. */
        FAIL
    }

    static Finding ok(String subject, String text) {
        return new Finding(Level.OK, subject, text, "");
    }

    static Finding warn(String subject, String text, String remedy) {
        return new Finding(Level.WARN, subject, text, remedy);
    }

    static Finding fail(String subject, String text, String remedy) {
        return new Finding(Level.FAIL, subject, text, remedy);
    }

    boolean isFailure() {
        return level == Level.FAIL;
    }

    JsonObject json() {
        return new JsonObject()
                .put("level", level.name())
                .put("subject", subject)
                .put("text", text)
                .put("remedy", remedy);
    }

    /** Returns the finding in one line, and the remedy in a second one. */
    String lines() {
        String first = "%-5s %-12s %s".formatted(level, subject, text);
        return remedy.isEmpty() ? first : first + System.lineSeparator() + " ".repeat(19) + "-> " + remedy;
    }
}
