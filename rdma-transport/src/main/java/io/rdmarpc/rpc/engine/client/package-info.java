/** Calls that an engine makes: slots, requests, responses, timers, the completion of a call. */
@NullMarked
package io.rdmarpc.rpc.engine.client;

import org.jspecify.annotations.NullMarked;
