/** What users of the RPC engine hold: channels, servers, sessions, calls, streams, handlers and contracts. */
@NullMarked
package io.rdmarpc.rpc;

import org.jspecify.annotations.NullMarked;
