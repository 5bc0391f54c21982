/**
 * Auto-configuration of the server: which peers may call which services, validation of arguments, Spring Security.
 */
@NullMarked
package io.rdmarpc.autoconfigure.server;

import org.jspecify.annotations.NullMarked;
