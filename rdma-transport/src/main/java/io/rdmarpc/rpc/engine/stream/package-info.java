/** Streams of messages within a session, with credits in both directions. */
@NullMarked
package io.rdmarpc.rpc.engine.stream;

import org.jspecify.annotations.NullMarked;
