package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the argument by which calls are spread over the instances of a target whose policy is sticky: calls with equal
 * keys go to the same instance as long as it is there. Only {@code hashCode} is asked for, so it must be the same in every
 * process that is to choose the same instance, as those of strings, numbers and records of them are.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaKey {}
