/** Counters, threads, response timeouts and failures, which all parts of remote memory use. */
@NullMarked
package io.rdmarpc.remote.support;

import org.jspecify.annotations.NullMarked;
