/** The control path: hello, sessions, heartbeats, and the commands that it posts to engines. */
@NullMarked
package io.rdmarpc.rpc.control;

import org.jspecify.annotations.NullMarked;
