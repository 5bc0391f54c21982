package io.rdmarpc.service.codec.json;

import io.rdmarpc.service.codec.MessageInput;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.limit.MessageBudget;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.SerializableString;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.databind.DeserializationContext;

/**
 * Charges the budget of a message for each token. It does not know what a token is read into, so estimates are those of maps and
 * lists.
 */
final class BudgetedJsonParser extends JsonParserDelegate {

    /** A map, and the table that it makes for its first entries. */
    static final int OBJECT = 80;

    static final int ARRAY = 4 + 24;
    private static final int ENTRY = 48;
    private static final int NUMBER = 4 + 24;

    private final MessageBudget budget;
    private final MessageInput input;
    private final int length;

    BudgetedJsonParser(JsonParser parser, MessageBudget budget, MessageInput input) {
        super(parser);
        this.budget = budget;
        this.input = input;
        this.length = input.remaining();
    }

    /** The budget of the message that is read in a context; null for values that do not come from one. */
    static @Nullable MessageBudget of(DeserializationContext context) {
        return context.getParser() instanceof BudgetedJsonParser own ? own.budget : null;
    }

    /**
     * Charges what a value takes beyond what its first token is charged.
     *
     * @param context where the value is read
     * @param bytes of the value on the heap
     * @param ofToken charged for its first token
     */
    static void chargeMore(DeserializationContext context, int bytes, int ofToken) {
        if (bytes > ofToken && context.getParser() instanceof BudgetedJsonParser own) {
            own.budget.charge(bytes - ofToken);
            own.budget.check(own.length - own.input.remaining());
        }
    }

    private void charge(@Nullable JsonToken token) {
        if (token == null) {
            return;
        }
        int bytes = switch (token) {
            case START_OBJECT -> OBJECT;
            case START_ARRAY -> ARRAY;
            case PROPERTY_NAME -> ENTRY;
            case VALUE_STRING -> HeapEstimate.TEXT;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> NUMBER;
            default -> 0;
        };
        budget.charge(bytes);
        budget.check(length - input.remaining());
    }

    @Override
    public @Nullable JsonToken nextToken() {
        JsonToken token = delegate.nextToken();
        charge(token);
        return token;
    }

    @Override
    public @Nullable JsonToken nextValue() {
        JsonToken token = delegate.nextValue();
        charge(token);
        return token;
    }

    @Override
    public @Nullable String nextName() {
        String name = delegate.nextName();
        charge(delegate.currentToken());
        return name;
    }

    @Override
    public boolean nextName(SerializableString expected) {
        boolean matches = delegate.nextName(expected);
        charge(delegate.currentToken());
        return matches;
    }

    @Override
    public int nextNameMatch(PropertyNameMatcher matcher) {
        int match = delegate.nextNameMatch(matcher);
        charge(delegate.currentToken());
        return match;
    }
}
