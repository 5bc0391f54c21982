/** Messages of calls and streams: views of received messages, and allocators of messages to send. */
@NullMarked
package io.rdmarpc.rpc.message;

import org.jspecify.annotations.NullMarked;
