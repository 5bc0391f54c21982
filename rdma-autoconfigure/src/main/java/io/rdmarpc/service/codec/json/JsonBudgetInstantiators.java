package io.rdmarpc.service.codec.json;

import io.rdmarpc.service.codec.limit.HeapEstimate;
import java.io.Serial;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueInstantiators;
import tools.jackson.databind.deser.bean.PropertyValueBuffer;

/**
 * Charges objects with many fields when Jackson creates them, because a message may omit all fields. Objects that are
 * not larger than the charge of {@link BudgetedJsonParser} for any object are not charged again.
 */
final class JsonBudgetInstantiators extends ValueInstantiators.Base {

    @Override
    public ValueInstantiator modifyValueInstantiator(
            DeserializationConfig config, BeanDescription.Supplier description, ValueInstantiator instantiator) {
        int bytes = HeapEstimate.of(description.getBeanClass());
        return bytes > BudgetedJsonParser.OBJECT ? new Charging(instantiator, bytes) : instantiator;
    }

    private static final class Charging extends ValueInstantiator.Delegating {

        @Serial
        private static final long serialVersionUID = 1L;

        private final int bytes;

        Charging(ValueInstantiator delegate, int bytes) {
            super(delegate);
            this.bytes = bytes;
        }

        private void charge(DeserializationContext context) {
            BudgetedJsonParser.chargeMore(context, bytes, BudgetedJsonParser.OBJECT);
        }

        /**
         * Charges the whole object, for an object that is created from one scalar. The scalar's token was charged for
         * the scalar only.
         */
        private void chargeAll(DeserializationContext context) {
            BudgetedJsonParser.chargeMore(context, bytes, 0);
        }

        @Override
        public Object createUsingDelegate(DeserializationContext context, Object delegate) {
            chargeAll(context);
            return super.createUsingDelegate(context, delegate);
        }

        @Override
        public Object createUsingArrayDelegate(DeserializationContext context, Object delegate) {
            chargeAll(context);
            return super.createUsingArrayDelegate(context, delegate);
        }

        @Override
        public Object createFromString(DeserializationContext context, String value) {
            chargeAll(context);
            return super.createFromString(context, value);
        }

        @Override
        public Object createFromInt(DeserializationContext context, int value) {
            chargeAll(context);
            return super.createFromInt(context, value);
        }

        @Override
        public Object createFromLong(DeserializationContext context, long value) {
            chargeAll(context);
            return super.createFromLong(context, value);
        }

        @Override
        public Object createFromBigInteger(DeserializationContext context, BigInteger value) {
            chargeAll(context);
            return super.createFromBigInteger(context, value);
        }

        @Override
        public Object createFromDouble(DeserializationContext context, double value) {
            chargeAll(context);
            return super.createFromDouble(context, value);
        }

        @Override
        public Object createFromBigDecimal(DeserializationContext context, BigDecimal value) {
            chargeAll(context);
            return super.createFromBigDecimal(context, value);
        }

        @Override
        public Object createFromBoolean(DeserializationContext context, boolean value) {
            chargeAll(context);
            return super.createFromBoolean(context, value);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // instance identity
        public ValueInstantiator createContextual(
                DeserializationContext context, BeanDescription.Supplier description) {
            ValueInstantiator contextual = _delegate.createContextual(context, description);
            return contextual == _delegate ? this : new Charging(contextual, bytes);
        }

        @Override
        public boolean canCreateFromBigInteger() {
            return _delegate.canCreateFromBigInteger();
        }

        @Override
        public boolean canCreateFromBigDecimal() {
            return _delegate.canCreateFromBigDecimal();
        }

        @Override
        public Object createUsingDefault(DeserializationContext context) {
            charge(context);
            return super.createUsingDefault(context);
        }

        @Override
        public Object createUsingDefaultOrWithoutArguments(DeserializationContext context) {
            charge(context);
            return _delegate.createUsingDefaultOrWithoutArguments(context);
        }

        @Override
        public Object createFromObjectWith(DeserializationContext context, @Nullable Object[] values) {
            charge(context);
            return super.createFromObjectWith(context, values);
        }

        @Override
        public Object createFromObjectWith(
                DeserializationContext context, SettableBeanProperty[] properties, PropertyValueBuffer values) {
            charge(context);
            return super.createFromObjectWith(context, properties, values);
        }
    }
}
