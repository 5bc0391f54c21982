/**
 * Extensions of verbs for two processes on one host: datagrams through shared memory, progress of sends without
 * completions, and views of a peer's memory. The transports look for the extensions once, when they create an object.
 * Hardware providers have none of them.
 */
@NullMarked
package io.rdmarpc.verbs.ipc;

import org.jspecify.annotations.NullMarked;
