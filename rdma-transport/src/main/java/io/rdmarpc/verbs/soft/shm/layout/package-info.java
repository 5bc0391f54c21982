/** What lies in memory that processes of one host share: rings of packets, states of both ends, and the table of keys. */
@NullMarked
package io.rdmarpc.verbs.soft.shm.layout;

import org.jspecify.annotations.NullMarked;
