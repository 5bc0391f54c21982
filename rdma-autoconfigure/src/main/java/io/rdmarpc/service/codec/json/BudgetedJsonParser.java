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
 * Charges the budget of a message for each token. The target type of a token is unknown here, so the estimates assume
 * maps and lists.
 */
final class BudgetedJsonParser extends JsonParserDelegate {

    /** A map with its initial table. */
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

    /** Returns the budget of the message that a context reads, or null if it reads no message. */
    static @Nullable MessageBudget of(DeserializationContext context) {
        return context.getParser() instanceof BudgetedJsonParser own ? own.budget : null;
    }

    /**
     * Charges the bytes of a value that exceed the charge of its first token.
     *
     * @param context the context that reads the value
     * @param bytes estimated size of the value on the heap
     * @param ofToken bytes that were charged for its first token
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
