package io.rdmarpc.cli;

/**
 * What a check found.
 *
 * @param level how bad it is
 * @param subject what was looked at
 * @param text what it is like
 * @param remedy what to do, empty when there is nothing to do
 */
record Finding(Level level, String subject, String text, String remedy) {

    /** How bad a finding is. */
    enum Level {
        /** As it should be. */
        OK,
        /** Works, but not as well as it could, or not for everybody. */
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

    /** One line, and a second one for the remedy. */
    String lines() {
        String first = "%-5s %-12s %s".formatted(level, subject, text);
        return remedy.isEmpty() ? first : first + System.lineSeparator() + " ".repeat(19) + "-> " + remedy;
    }
}
