package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an exception whose fields are sent to the caller. If a method declares the exception, the client creates it with
 * the longest constructor whose parameters all have a value:
 *
 * <ul>
 *   <li>{@code String message} gets the message.
 *   <li>{@code Throwable cause} gets the failure of the call.
 *   <li>Any other parameter gets a field: the value of the method {@code name()}, {@code getName()} or {@code isName()},
 *       or of the field {@code name}, with the name and the type of the parameter.
 * </ul>
 *
 * <pre>{@code
 * @RdmaFailureFields
 * class CreditLimitException extends Exception {
 *
 *     private final int limit;
 *
 *     CreditLimitException(String message, int limit) {
 *         super(message);
 *         this.limit = limit;
 *     }
 *
 *     int limit() {
 *         return limit;
 *     }
 * }
 * }</pre>
 *
 * <p>Parameters need names, so compile with {@code -parameters}, as Spring Boot's plug-ins do. Types of fields follow the
 * rules for results, and are part of the contract. All fields are sent to every caller, so they must not contain
 * secrets.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaFailureFields {}
