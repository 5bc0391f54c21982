package io.rdmarpc.service;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of an {@link RdmaAdvice} bean that maps exceptions of its first parameter's type. The method with the
 * nearest type to the exception is called. A second parameter may be the {@link ServerCallContext}. It returns an
 * {@link RdmaStatusException}, or an {@link io.rdmarpc.rpc.error.RpcStatus} to keep the message of the exception. Null
 * lets other handlers map the exception.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaExceptionHandler {}
