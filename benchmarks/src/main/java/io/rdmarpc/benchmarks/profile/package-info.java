/** CPU time samples of a recording of the Flight Recorder, counted by thread and by method. */
@NullMarked
package io.rdmarpc.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
