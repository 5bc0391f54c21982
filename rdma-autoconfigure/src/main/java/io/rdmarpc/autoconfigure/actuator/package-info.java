/**
 * Endpoints, health and info contributors for Spring Boot Actuator.
 */
@NullMarked
package io.rdmarpc.autoconfigure.actuator;

import org.jspecify.annotations.NullMarked;
