/** The API for users of the RPC engine: channels, servers, sessions, calls, streams, handlers and contracts. */
@NullMarked
package io.rdmarpc.rpc;

import org.jspecify.annotations.NullMarked;
