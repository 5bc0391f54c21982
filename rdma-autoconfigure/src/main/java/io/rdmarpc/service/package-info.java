/**
 * Types that services and their callers import: context, metadata and options of a call, interceptors, exceptions, and
 * the advice that maps exceptions.
 */
@NullMarked
package io.rdmarpc.service;

import org.jspecify.annotations.NullMarked;
