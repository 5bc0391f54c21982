/** Limits of the shared memory that each peer may use, and the counters of shared memory. */
@NullMarked
package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.NullMarked;
