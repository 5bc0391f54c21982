/** The common part of client and server sessions, and the large messages that they READ. */
@NullMarked
package io.rdmarpc.rpc.engine.session;

import org.jspecify.annotations.NullMarked;
