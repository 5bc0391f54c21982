/** Messages of calls and streams: views of received ones, and allocators of those to send. */
@NullMarked
package io.rdmarpc.rpc.message;

import org.jspecify.annotations.NullMarked;
