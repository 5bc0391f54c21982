/** How an operation or a connection fails: exceptions with the operation, the status of the device, and what to do. */
@NullMarked
package io.rdmarpc.async.error;

import org.jspecify.annotations.NullMarked;
