package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the argument by which a sticky target distributes its calls over its instances. Calls with equal keys go to the
 * same instance while that instance is available. The client uses only the argument's {@code hashCode}. The hash code
 * must therefore be equal in all processes that should choose the same instance. Strings, numbers, and records of them
 * meet this condition.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaKey {}
