/**
 * Connections by the RDMA connection manager. Addresses are IP addresses and ports. The kernels of both sides exchange
 * routes, packet sequence numbers and queue pair numbers. Peers may be any programs that use librdmacm, in any
 * language. The alternative is to exchange {@link io.rdmarpc.verbs.attributes.QueuePairAttributes} by other means.
 *
 * <p>Queue pairs belong to their {@link io.rdmarpc.verbs.ProtectionDomain}: this package changes their states and never
 * closes them. It supports RC queue pairs over InfiniBand and RoCE. It does not support iWARP, datagrams
 * ({@code RDMA_PS_UDP}), multicast, XRC, and addresses other than IP ({@code AF_IB}).
 *
 * <pre>
 *   server                                            client
 *   listener = manager.listen(address, 16)
 *   request = listener.accept(timeout).get()          route = manager.resolve(CmDestination.to(address), timeout)
 *   ... a queue pair on request.deviceName()          ... a queue pair on route.deviceName()
 *   request.initialize(queuePair), post receives      route.initialize(queuePair), post receives
 *   request.accept(queuePair, parameters, timeout)    route.connect(queuePair, parameters, timeout)
 * </pre>
 */
@NullMarked
package io.rdmarpc.verbs.cm;

import org.jspecify.annotations.NullMarked;
