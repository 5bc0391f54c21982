package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import java.util.function.Consumer;

/**
 * The constructor arguments of a queue pair.
 *
 * @param domain the context of its protection domain
 * @param number its number
 * @param config its type and capabilities
 * @param sendCq receives the completions of its sends
 * @param receiveCq receives the completions of its receives
 * @param onClose called once with the queue pair at its close, under the RNIC's lock
 */
public record QueuePairParts(
        DomainContext domain,
        int number,
        QueuePairConfig config,
        SoftCompletionQueue sendCq,
        SoftCompletionQueue receiveCq,
        Consumer<SoftQueuePair> onClose) {}
