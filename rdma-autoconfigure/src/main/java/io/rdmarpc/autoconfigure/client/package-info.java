/**
 * Auto-configuration of clients: scanning for services, client proxies, and the channels to targets.
 * {@code RdmaClients}, {@code TargetChannels}, {@code TargetResolvers} and {@code TargetSettings} are public only for
 * the other packages of the auto-configuration.
 */
@NullMarked
package io.rdmarpc.autoconfigure.client;

import org.jspecify.annotations.NullMarked;
