/**
 * Internal: one call at the server, from its arguments to its response. Its classes are public for the server package only.
 */
@NullMarked
package io.rdmarpc.service.server.call;

import org.jspecify.annotations.NullMarked;
