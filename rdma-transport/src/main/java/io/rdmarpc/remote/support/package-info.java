/** What all parts of remote memory use: counters, threads, time-outs of responses, and failures. */
@NullMarked
package io.rdmarpc.remote.support;

import org.jspecify.annotations.NullMarked;
