/**
 * Auto-configuration of remote memory: lending, templates and listeners of writes.
 */
@NullMarked
package io.rdmarpc.autoconfigure.memory;

import org.jspecify.annotations.NullMarked;
