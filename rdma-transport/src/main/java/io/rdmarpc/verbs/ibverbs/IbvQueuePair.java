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
 * <p>The last requested state determines which requests may be posted (InfiniBand Architecture Specification vol. 1,
 * 10.3.1). One plain read checks it. Providers react differently to a post in a wrong state: some return an error
 * number, in others the request stays in the queue. The same read rejects posts after the close. Closing while another
 * thread posts is an error of the caller, as in C.
 */
public final class IbvQueuePair implements QueuePair, Children.Child {

    /** All attributes of {@code ibv_query_qp}; the rate limit has another verb. */
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
    private boolean acceptsSends;
    private boolean acceptsReceives;

    /** The last requested state, null after the close. */
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
        return lifetime.whileOpen("ibv_query_qp", () -> queryAttributes(QueuePairMask.STATE, QpAttrStruct::state));
    }

    @Override
    public QueuePairAttributes query() {
        return lifetime.whileOpen("ibv_query_qp", () -> queryAttributes(ALL, QpAttrStruct::toAttributes));
    }

    private <T> T queryAttributes(int mask, Function<QpAttrStruct, T> read) {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct result = QpAttrStruct.allocate(arena);
            library.queryQp(struct, result, mask)
                    .check(device, errno -> "The driver did not respond; see the kernel log");
            return read.apply(result);
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        attributes.requireEncodable(device);
        if (attributes.has(QueuePairMask.PORT)) {
            updatePortLimits(attributes.portNumber());
        }
        lifetime.whileOpen("ibv_modify_qp", () -> {
            change(attributes);
            return attributes;
        });
    }

    /**
     * Reads the port's limits. Called without this object's lock, because locks are acquired from the parent to the
     * child only.
     */
    private void updatePortLimits(int portNumber) {
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
            applyState(attributes.state());
        }
    }

    /** Applies the attributes of the connection manager. */
    public void modify(QpAttrStruct attributes, int mask) {
        if ((mask & QueuePairMask.PORT) != 0) {
            updatePortLimits(attributes.toAttributes().portNumber());
        }
        lifetime.whileOpen("ibv_modify_qp", () -> {
            library.modifyQp(struct, attributes, mask).check(device, errno -> notConnected(attributes.state()));
            applyState(attributes.state());
            return attributes;
        });
    }

    private String notConnected(QueuePairState to) {
        return type + " queue pair " + number + " did not enter " + to + " with the connection manager's attributes."
                + " Check that the peer is not on another device of the same host, and resolve the route again";
    }

    public OpenDevice context() {
        return context;
    }

    private String notChanged(QueuePairAttributes attributes) {
        QueuePairState from;
        try {
            from = queryAttributes(QueuePairMask.STATE, QpAttrStruct::state);
        } catch (RdmaVerbsException e) {
            from = null;
        }
        return new QueuePairTransition(type, number, from, attributes).explain();
    }

    private void applyState(QueuePairState next) {
        acceptsReceives = hasReceiveQueue && next != QueuePairState.RESET;
        acceptsSends = next.code() >= QueuePairState.RTS.code();
        state = next;
    }

    @Override
    public int postSend(SendRequests requests, int first) {
        if (sendChecks != null) {
            sendChecks.check(requests, first, state);
        }
        if (!acceptsSends || first < 0 || first >= requests.capacity()) {
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
        if (!acceptsReceives || first < 0 || first >= requests.capacity()) {
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
                () -> applyState(QueuePairState.RESET),
                () -> state = null,
                () -> context.eventTargets().remove(pointer),
                () -> library.destroyQp(struct)
                        .check(device, errno -> "Queue pair " + number + " is freed when the process ends"),
                () -> users.forEach(user -> user.remove(this)));
    }
}
