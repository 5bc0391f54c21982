/** Counters, threads, response time-outs and failures, which all parts of remote memory use. */
@NullMarked
package io.rdmarpc.remote.support;

import org.jspecify.annotations.NullMarked;
