/**
 * Auto-configuration of the server: access rules of services, validation of arguments, Spring Security.
 */
@NullMarked
package io.rdmarpc.autoconfigure.server;

import org.jspecify.annotations.NullMarked;
