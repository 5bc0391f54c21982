package io.rdmarpc.service.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.ValueInstantiators;
import tools.jackson.databind.deser.bean.PropertyValueBuffer;

/**
 * Charges objects with many fields when Jackson makes them: a message may leave all of them out. Objects that take no more than
 * {@link BudgetedJsonParser} charges for any object stay as they are.
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

        @Override
        @SuppressWarnings("ReferenceEquality") // that very one
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
