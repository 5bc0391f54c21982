/**
 * The server of an application. It finds the beans that implement services, exports them, and publishes events of
 * start and stop.
 */
@NullMarked
package io.rdmarpc.service.server;

import org.jspecify.annotations.NullMarked;
