/**
 * Auto-configuration of registries: the control port in the metadata of this application, and targets by service
 * name.
 */
@NullMarked
package io.rdmarpc.autoconfigure.discovery;

import org.jspecify.annotations.NullMarked;
