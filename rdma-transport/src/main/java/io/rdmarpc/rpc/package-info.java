/** What users of the RPC engine hold: client, session, handler, configuration, exceptions, observer. */
@NullMarked
package io.rdmarpc.rpc;

import org.jspecify.annotations.NullMarked;
