/**
 * Routes calls to instances: where the instances of a target are, which of them gets a call, and the sessions to them. An
 * application implements {@link io.rdmarpc.service.client.routing.RdmaTargetResolver}. {@code TargetSessions} is public for the
 * client package only.
 */
@NullMarked
package io.rdmarpc.service.client.routing;

import org.jspecify.annotations.NullMarked;
