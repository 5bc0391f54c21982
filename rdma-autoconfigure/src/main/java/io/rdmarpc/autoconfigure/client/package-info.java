/**
 * Auto-configuration of clients: scanning for {@code @RdmaClient}, their proxies, and the channels to their targets. {@code
 * RdmaClients}, {@code TargetChannels}, {@code TargetResolvers} and {@code TargetSettings} are public for the other packages of the
 * auto-configuration only.
 */
@NullMarked
package io.rdmarpc.autoconfigure.client;

import org.jspecify.annotations.NullMarked;
