/**
 * Packets between processes of one host through shared memory. Files under {@code /dev/shm}, with rights for their owner
 * only, that any program can map: no native code. They protect against faults of one's own programs, not against another
 * user or against malice of the same one.
 */
@NullMarked
package io.rdmarpc.verbs.soft.shm;

import org.jspecify.annotations.NullMarked;
