/**
 * Packets between processes of one host through shared memory, and memory that they copy from and to directly. Processes find
 * each other by files under {@code /dev/shm}, with rights for their owner only. With native access they pass each other sealed
 * memory without a name; without it their rings are files, and nothing is copied directly. All this protects against faults of
 * one's own programs, not against another user or against malice of the same one.
 */
@NullMarked
package io.rdmarpc.verbs.soft.shm;

import org.jspecify.annotations.NullMarked;
