/** The server of an application: finds the beans that implement services, exports them, and publishes when it starts and stops. */
@NullMarked
package io.rdmarpc.service.server;

import org.jspecify.annotations.NullMarked;
