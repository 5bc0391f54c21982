/** How a call, a session or a connection fails: exceptions, statuses and rejection codes. */
@NullMarked
package io.rdmarpc.rpc.error;

import org.jspecify.annotations.NullMarked;
