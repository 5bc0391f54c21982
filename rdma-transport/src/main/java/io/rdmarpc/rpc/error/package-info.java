/** Failures of calls, sessions and connections: exceptions, statuses and rejection codes. */
@NullMarked
package io.rdmarpc.rpc.error;

import org.jspecify.annotations.NullMarked;
