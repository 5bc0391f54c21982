/**
 * Internal: the properties {@code rdma.*} and their validation. Public only for the other packages of the
 * auto-configuration. Applications set properties, and import at most
 * {@link io.rdmarpc.autoconfigure.properties.RdmaPreset}.
 */
@NullMarked
package io.rdmarpc.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
