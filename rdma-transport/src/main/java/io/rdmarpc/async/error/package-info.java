/**
 * Failures of operations and connections: exceptions with the operation, the status of the device, and the next step.
 */
@NullMarked
package io.rdmarpc.async.error;

import org.jspecify.annotations.NullMarked;
