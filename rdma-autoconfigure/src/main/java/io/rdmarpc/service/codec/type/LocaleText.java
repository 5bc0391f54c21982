package io.rdmarpc.service.codec.type;

import java.util.Locale;

/**
 * Text of a locale: its language tag if the tag converts back to an equal locale. Otherwise it is the language, the
 * country and the variant, with an underscore before each.
 */
public final class LocaleText {

    private static final char SEPARATOR = '_';
    private static final int PARTS = 4;

    private LocaleText() {}

    /**
     * Returns the text of a locale.
     *
     * @throws IllegalArgumentException if no text converts back to an equal locale
     */
    public static String of(Locale locale) {
        String tag = locale.toLanguageTag();
        if (Locale.forLanguageTag(tag).equals(locale)) {
            return tag;
        }
        String parts =
                SEPARATOR + locale.getLanguage() + SEPARATOR + locale.getCountry() + SEPARATOR + locale.getVariant();
        if (!parse(parts).equals(locale)) {
            throw new IllegalArgumentException("the locale " + locale + " is not serializable: neither its tag " + tag
                    + " nor its language, country and variant convert back to it");
        }
        return parts;
    }

    public static Locale parse(String text) {
        if (text.isEmpty() || text.charAt(0) != SEPARATOR) {
            return Locale.forLanguageTag(text);
        }
        String[] parts = text.split("_", PARTS);
        if (parts.length < PARTS) {
            throw new IllegalArgumentException("the message has a locale without a language, a country and a variant");
        }
        return Locale.of(parts[1], parts[2], parts[3]);
    }
}
