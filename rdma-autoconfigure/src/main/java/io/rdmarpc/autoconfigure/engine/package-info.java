/**
 * Internal: the engine's settings from the properties, the life cycle of the runtime, and what starts beside the device. Public for
 * the auto-configurations only.
 */
@NullMarked
package io.rdmarpc.autoconfigure.engine;

import org.jspecify.annotations.NullMarked;
