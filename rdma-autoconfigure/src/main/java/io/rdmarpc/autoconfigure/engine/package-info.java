/**
 * Internal: the engine's configuration from the properties, the lifecycle of the runtime, and the software RNIC
 * alongside the device. Public only for the auto-configurations.
 */
@NullMarked
package io.rdmarpc.autoconfigure.engine;

import org.jspecify.annotations.NullMarked;
