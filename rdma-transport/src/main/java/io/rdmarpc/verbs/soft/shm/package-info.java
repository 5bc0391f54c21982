/**
 * Packets between processes on one host through shared memory, and memory that they copy from and to directly.
 * Processes find each other by files under {@code /dev/shm} that only their owner may access. With native access they
 * pass each other sealed anonymous memory. Without it their rings are files, and no memory is copied directly. This
 * protects against faults of a user's own programs, not against other users or malicious programs of the same user.
 */
@NullMarked
package io.rdmarpc.verbs.soft.shm;

import org.jspecify.annotations.NullMarked;
