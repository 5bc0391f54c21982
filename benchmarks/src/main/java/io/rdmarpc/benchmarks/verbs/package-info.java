/** The Java counterparts of perftest's {@code ib_send_lat}, {@code ib_read_bw} and {@code ib_write_bw}. */
@NullMarked
package io.rdmarpc.benchmarks.verbs;

import org.jspecify.annotations.NullMarked;
