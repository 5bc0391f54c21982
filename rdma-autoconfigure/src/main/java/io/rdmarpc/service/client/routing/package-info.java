/**
 * Routes calls to instances: resolvers of targets, selection of an instance for each call, and the sessions with
 * instances. Applications may implement {@link io.rdmarpc.service.client.routing.RdmaTargetResolver}.
 * {@code TargetSessions} is public only for the client package.
 */
@NullMarked
package io.rdmarpc.service.client.routing;

import org.jspecify.annotations.NullMarked;
