/** Streams of messages within a session, with credits both ways. */
@NullMarked
package io.rdmarpc.rpc.engine.stream;

import org.jspecify.annotations.NullMarked;
