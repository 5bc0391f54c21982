/** Reliable connections of the software RNIC: requester and responder, retransmission, READs and atomics. */
@NullMarked
package io.rdmarpc.verbs.soft.rc;

import org.jspecify.annotations.NullMarked;
