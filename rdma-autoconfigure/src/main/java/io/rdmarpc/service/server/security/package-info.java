/**
 * Decides which peers may call which services, and provides the caller's authentication to methods.
 */
@NullMarked
package io.rdmarpc.service.server.security;

import org.jspecify.annotations.NullMarked;
