/**
 * Connections by the RDMA connection manager: addresses are IP addresses and ports, the way to the peer, packet sequence
 * numbers and queue pair numbers are exchanged by the kernels of both sides. It works with every program that uses
 * librdmacm, in any language. The alternative is to exchange {@link io.rdmarpc.verbs.attributes.QueuePairAttributes} by other means.
 *
 * <p>Queue pairs stay those of a {@link io.rdmarpc.verbs.ProtectionDomain}: this package only leads them through their
 * states, and never closes one. Connected queue pairs (RC) over InfiniBand and RoCE are covered. Not covered: iWARP,
 * datagrams ({@code RDMA_PS_UDP}), multicast, XRC, and addresses that are not IP ({@code AF_IB}).
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
