/**
 * Internal: one call at the server, from its arguments to its response. Classes are public only for the server
 * package.
 */
@NullMarked
package io.rdmarpc.service.server.call;

import org.jspecify.annotations.NullMarked;
