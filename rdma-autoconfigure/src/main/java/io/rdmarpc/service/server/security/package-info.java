/**
 * Decides which peers may call which services, and gives methods the caller as their authentication.
 */
@NullMarked
package io.rdmarpc.service.server.security;

import org.jspecify.annotations.NullMarked;
