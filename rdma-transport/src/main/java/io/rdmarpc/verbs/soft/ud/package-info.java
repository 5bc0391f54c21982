/** Unreliable datagrams of the software RNIC, over the link and through memory that two processes on one host share. */
@NullMarked
package io.rdmarpc.verbs.soft.ud;

import org.jspecify.annotations.NullMarked;
