/** Where the processor time of a call goes, by samples of both processes. */
@NullMarked
package io.rdmarpc.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
