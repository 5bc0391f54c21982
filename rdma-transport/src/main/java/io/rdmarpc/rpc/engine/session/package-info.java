/** What client and server sessions have in common, and the large messages that they READ. */
@NullMarked
package io.rdmarpc.rpc.engine.session;

import org.jspecify.annotations.NullMarked;
