/**
 * What queue pairs and memory of a provider offer beyond verbs where both ends are processes of one host: datagrams through shared memory, the
 * progress of sends without completions, and views of a peer's memory. The transports look for it once, when they make an object. Hardware
 * offers none of it.
 */
@NullMarked
package io.rdmarpc.verbs.ipc;

import org.jspecify.annotations.NullMarked;
