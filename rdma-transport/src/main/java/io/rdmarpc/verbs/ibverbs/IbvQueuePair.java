package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.check.ReceiveRequestChecks;
import io.rdmarpc.verbs.check.SendRequestChecks;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpStruct;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair.
 *
 * <p>What may be posted follows the state that was last asked for (InfiniBand Architecture Specification vol. 1, 10.3.1)
 * and is checked here with one plain read: providers differ in what they do with a post in a wrong state, from an error
 * number to a request that is left in the queue. The same read guards against posts after the close; a post that runs
 * on another thread during the close is the caller's error, as in C.
 */
public final class IbvQueuePair implements QueuePair, Children.Child {

    /** All of {@code ibv_query_qp}; the rate limit has another verb. */
    private static final int ALL = QueuePairMask.RATE_LIMIT - 1;

    private final OpenDevice context;
    private final QpStruct struct;
    private final int number;
    private final QueuePairType type;
    private final QueuePairCapabilities capabilities;
    private final List<Children> users;
    private final LibIbverbs library;
    private final String device;
    private final Lifetime lifetime;

    private final DataPath dataPath;
    private final long pointer;
    private final boolean hasReceiveQueue;
    private final @Nullable SendRequestChecks sendChecks;
    private final @Nullable ReceiveRequestChecks receiveChecks;
    private final BadRequest badSend = new BadRequest();
    private final BadRequest badReceive = new BadRequest();
    private boolean takesSends;
    private boolean takesReceives;

    /** The state last asked for, null once it is closed. */
    private @Nullable QueuePairState state = QueuePairState.RESET;

    IbvQueuePair(
            OpenDevice context,
            QpStruct struct,
            QueuePairConfig config,
            QueuePairCapabilities granted,
            List<Children> users) {
        this.context = context;
        this.struct = struct;
        this.number = struct.number();
        this.type = config.type();
        this.capabilities = granted;
        this.users = List.copyOf(users);
        this.library = context.library();
        this.device = context.deviceName();
        this.lifetime = new Lifetime("queue pair", device);
        this.dataPath = context.dataPath();
        this.pointer = struct.pointer();
        this.hasReceiveQueue = config.sharedReceiveQueue() == null;
        this.sendChecks = config.checked() ? new SendRequestChecks(type, granted) : null;
        this.receiveChecks = config.checked() ? ReceiveRequestChecks.of(config, granted) : null;
        users.forEach(user -> user.add(this));
        context.eventTargets().add(pointer, this);
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
        return lifetime.whileOpen("ibv_query_qp", () -> ask(QueuePairMask.STATE, QpAttrStruct::state));
    }

    @Override
    public QueuePairAttributes query() {
        return lifetime.whileOpen("ibv_query_qp", () -> ask(ALL, QpAttrStruct::toAttributes));
    }

    private <T> T ask(int mask, Function<QpAttrStruct, T> read) {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct answer = QpAttrStruct.allocate(arena);
            library.queryQp(struct, answer, mask)
                    .check(device, errno -> "The driver does not answer; see the kernel's log");
            return read.apply(answer);
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        attributes.requireEncodable(device);
        if (attributes.has(QueuePairMask.PORT)) {
            learnLimits(attributes.portNumber());
        }
        lifetime.whileOpen("ibv_modify_qp", () -> {
            change(attributes);
            return attributes;
        });
    }

    /** Outside of the own lock: locks are taken from the parent to the child only. */
    private void learnLimits(int portNumber) {
        if (sendChecks != null) {
            PortAttributes port = context.queryPort(portNumber);
            sendChecks.port(port.maxMessageBytes(), port.activeMtu());
        }
    }

    private void change(QueuePairAttributes attributes) {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct change = QpAttrStruct.allocate(arena, attributes);
            library.modifyQp(struct, change, attributes.mask()).check(device, errno -> notChanged(attributes));
        }
        if (attributes.has(QueuePairMask.STATE)) {
            follow(attributes.state());
        }
    }

    /** Changes what the connection manager says. */
    public void modify(QpAttrStruct attributes, int mask) {
        if ((mask & QueuePairMask.PORT) != 0) {
            learnLimits(attributes.toAttributes().portNumber());
        }
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

    public OpenDevice context() {
        return context;
    }

    private String notChanged(QueuePairAttributes attributes) {
        QueuePairState from;
        try {
            from = ask(QueuePairMask.STATE, QpAttrStruct::state);
        } catch (RdmaVerbsException e) {
            from = null;
        }
        return new QueuePairTransition(type, number, from, attributes).explain();
    }

    private void follow(QueuePairState next) {
        takesReceives = hasReceiveQueue && next != QueuePairState.RESET;
        takesSends = next.code() >= QueuePairState.RTS.code();
        state = next;
    }

    @Override
    public int postSend(SendRequests requests, int first) {
        if (sendChecks != null) {
            sendChecks.check(requests, first, state);
        }
        if (!takesSends || first < 0 || first >= requests.capacity()) {
            requests.badIndex(first);
            return Errno.EINVAL;
        }
        try {
            int result = dataPath.postSend(pointer, requests.writeOut(first), badSend.slot());
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
        if (receiveChecks != null) {
            receiveChecks.check(requests, first, state);
        }
        if (!takesReceives || first < 0 || first >= requests.capacity()) {
            requests.badIndex(first);
            return Errno.EINVAL;
        }
        try {
            int result = dataPath.postReceive(pointer, requests.writeOut(first), badReceive.slot());
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
                () -> state = null,
                () -> context.eventTargets().remove(pointer),
                () -> library.destroyQp(struct)
                        .check(device, errno -> "Queue pair " + number + " stays until the process ends"),
                () -> users.forEach(user -> user.remove(this)));
    }
}
