/**
 * Endpoints, health and information of the Actuator.
 */
@NullMarked
package io.rdmarpc.autoconfigure.actuator;

import org.jspecify.annotations.NullMarked;
