/** How much shared memory each peer may take, and what is counted of it. */
@NullMarked
package io.rdmarpc.verbs.soft.shm.budget;

import org.jspecify.annotations.NullMarked;
