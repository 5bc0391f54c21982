package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.QpAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.QpStruct;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.List;
import java.util.stream.Stream;

/**
 * A queue pair.
 *
 * <p>What may be posted follows the state that was last asked for (InfiniBand Architecture Specification vol. 1, 10.3.1)
 * and is checked here with one plain read: providers differ in what they do with a post in a wrong state, from an error
 * number to a request that is left in the queue. The same read guards against posts after the close; a post that runs
 * on another thread during the close is the caller's error, as in C.
 */
final class IbvQueuePair implements QueuePair, Children.Child {

    private final IbvProtectionDomain domain;
    private final QpStruct struct;
    private final int number;
    private final QueuePairType type;
    private final QueuePairCapabilities capabilities;
    private final List<IbvCompletionQueue> queues;
    private final LibIbverbs library;
    private final String device;
    private final Lifetime lifetime;

    private final DataPath dataPath;
    private final long pointer;
    private final BadRequest badSend = new BadRequest();
    private final BadRequest badReceive = new BadRequest();
    private boolean takesSends;
    private boolean takesReceives;

    IbvQueuePair(
            IbvProtectionDomain domain,
            QpStruct struct,
            QueuePairConfig config,
            QueuePairCapabilities granted,
            IbvCompletionQueue sendCq,
            IbvCompletionQueue receiveCq) {
        this.domain = domain;
        this.struct = struct;
        this.number = struct.number();
        this.type = config.type();
        this.capabilities = granted;
        this.queues = Stream.of(sendCq, receiveCq).distinct().toList();
        this.library = domain.context().library();
        this.device = domain.context().deviceName();
        this.lifetime = new Lifetime("queue pair", device);
        this.dataPath = domain.context().dataPath();
        this.pointer = struct.pointer();
        domain.queuePairs().add(this);
        queues.forEach(queue -> queue.queuePairs().add(this));
        domain.context().eventTargets().add(pointer, this);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public QueuePairCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public QueuePairState queryState() {
        return lifetime.whileOpen("ibv_query_qp", this::askState);
    }

    private QueuePairState askState() {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct answer = QpAttrStruct.allocate(arena);
            library.queryQp(struct, answer, QueuePairAttributes.STATE)
                    .check(device, errno -> "The driver does not answer; see the kernel's log");
            return answer.state();
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        lifetime.whileOpen("ibv_modify_qp", () -> {
            change(attributes);
            return attributes;
        });
    }

    private void change(QueuePairAttributes attributes) {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct change = QpAttrStruct.allocate(arena, attributes);
            library.modifyQp(struct, change, attributes.mask()).check(device, errno -> notChanged(attributes));
        }
        if (attributes.has(QueuePairAttributes.STATE)) {
            follow(attributes.state());
        }
    }

    /** Changes what the connection manager says. */
    void modify(QpAttrStruct attributes, int mask) {
        lifetime.whileOpen("ibv_modify_qp", () -> {
            library.modifyQp(struct, attributes, mask).check(device, errno -> notConnected(attributes.state()));
            follow(attributes.state());
            return attributes;
        });
    }

    private String notConnected(QueuePairState to) {
        return type + " queue pair " + number + " was to go to " + to + " with what the connection manager says. Is the"
                + " peer on another device of the same host, or has the network changed since the way was resolved?";
    }

    IbvContext context() {
        return domain.context();
    }

    private String notChanged(QueuePairAttributes attributes) {
        QueuePairState from;
        try {
            from = askState();
        } catch (VerbsException e) {
            from = null;
        }
        return new QueuePairTransition(type, number, from, attributes).explain();
    }

    private void follow(QueuePairState state) {
        takesReceives = state != QueuePairState.RESET;
        takesSends = state.code() >= QueuePairState.RTS.code();
    }

    @Override
    public int postSend(SendRequests requests, int first) {
        if (!takesSends || first < 0 || first >= requests.capacity()) {
            requests.badIndex(first);
            return Errno.EINVAL;
        }
        try {
            int result = dataPath.postSend(pointer, requests.address(first), badSend.slot());
            if (result != 0) {
                requests.badIndex(
                        badSend.index(requests.address(0), SendRequests.WR_BYTES, requests.capacity(), first));
            }
            return result;
        } finally {
            Reference.reachabilityFence(requests);
        }
    }

    @Override
    public int postReceive(ReceiveRequests requests, int first) {
        if (!takesReceives || first < 0 || first >= requests.capacity()) {
            requests.badIndex(first);
            return Errno.EINVAL;
        }
        try {
            int result = dataPath.postReceive(pointer, requests.address(first), badReceive.slot());
            if (result != 0) {
                requests.badIndex(
                        badReceive.index(requests.address(0), ReceiveRequests.WR_BYTES, requests.capacity(), first));
            }
            return result;
        } finally {
            Reference.reachabilityFence(requests);
        }
    }

    @Override
    public void close() {
        lifetime.end(
                () -> follow(QueuePairState.RESET),
                () -> domain.context().eventTargets().remove(pointer),
                () -> library.destroyQp(struct)
                        .check(device, errno -> "Queue pair " + number + " stays until the process ends"),
                () -> domain.queuePairs().remove(this),
                () -> queues.forEach(queue -> queue.queuePairs().remove(this)));
    }
}
