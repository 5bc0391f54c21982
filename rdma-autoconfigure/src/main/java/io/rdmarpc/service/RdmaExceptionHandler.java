package io.rdmarpc.service;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of an {@link RdmaAdvice} bean that maps exceptions: those of its first parameter's type. The method whose
 * type is nearest to what was thrown is called. A second parameter may be the {@link ServerCallContext}. It returns an {@link
 * RdmaStatusException}, or an {@link io.rdmarpc.rpc.error.RpcStatus} to keep the exception's own words; null leaves it to others.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaExceptionHandler {}
