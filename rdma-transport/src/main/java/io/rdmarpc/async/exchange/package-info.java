/** The TCP connection over which two nodes exchange their endpoints, and which reports the end of a peer. */
@NullMarked
package io.rdmarpc.async.exchange;

import org.jspecify.annotations.NullMarked;
