/** The TCP connection over which two nodes exchange their endpoints, and which detects the end of a peer's process. */
@NullMarked
package io.rdmarpc.async.exchange;

import org.jspecify.annotations.NullMarked;
