package io.rdmarpc.autoconfigure.properties;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;

/**
 * Collects errors of settings. The user sees only the property, its value and the message, so each message states
 * valid values. A value that is not set is valid.
 *
 * <p>These checks do not use Bean Validation constraints. Constraints prolonged each start of an application by 0.2
 * s, and had no effect in applications without Bean Validation.
 */
final class SettingsCheck {

    /** Numbers with more digits exceed all limits of settings. */
    private static final int MAX_DIGITS = 9;

    private final Errors errors;

    SettingsCheck(Errors errors) {
        this.errors = errors;
    }

    void require(boolean right, String property, String message) {
        if (!right) {
            errors.rejectValue(property, "invalid", message);
        }
    }

    void atLeast(String property, @Nullable Integer value, int least, String message) {
        within(property, value, least, Integer.MAX_VALUE, message);
    }

    void within(String property, @Nullable Integer value, int least, int most, String message) {
        require(value == null || (value >= least && value <= most), property, message);
    }

    void number(String property, String text, int least, int most, String message) {
        boolean isNumber = text.length() <= MAX_DIGITS && text.chars().allMatch(Character::isDigit) && !text.isEmpty();
        int value = isNumber ? Integer.parseInt(text) : least - 1;
        require(value >= least && value <= most, property, message);
    }

    void bytes(String property, @Nullable DataSize size, long least, long most, String message) {
        require(size == null || isWithin(size, least, most), property, message);
    }

    void powerOfTwoBytes(String property, @Nullable DataSize size, long least, long most, String message) {
        boolean isRight = size == null || (isWithin(size, least, most) && Long.bitCount(size.toBytes()) == 1);
        require(isRight, property, message);
    }

    private static boolean isWithin(DataSize size, long least, long most) {
        return size.toBytes() >= least && size.toBytes() <= most;
    }

    void longerThanZero(String property, @Nullable Duration duration) {
        require(
                duration == null || duration.isPositive(),
                property,
                "must be longer than 0: use a duration such as 20ms or 2s");
    }

    void within(String property, @Nullable Duration duration, Duration least, Duration most, String message) {
        require(
                duration == null || (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0),
                property,
                message);
    }

    void notNegative(String property, @Nullable Duration duration) {
        require(
                duration == null || !duration.isNegative(),
                property,
                "must be 0 or longer: use a duration such as 20ms or 2s");
    }

    void notBlank(String property, @Nullable String text, String message) {
        require(StringUtils.hasText(text), property, message);
    }

    void nested(String property, CheckedSettings settings) {
        errors.pushNestedPath(property);
        settings.check(this);
        errors.popNestedPath();
    }

    void nested(String property, Map<String, ? extends CheckedSettings> settings) {
        for (Map.Entry<String, ? extends CheckedSettings> entry : settings.entrySet()) {
            nested(property + "[" + entry.getKey() + "]", entry.getValue());
        }
    }
}
