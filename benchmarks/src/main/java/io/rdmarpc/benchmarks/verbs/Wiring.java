package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A queue pair with a completion queue for each direction, from its creation to its connection. */
final class Wiring implements AutoCloseable {

    /** Queue key of perftest. */
    static final int QKEY = 0x1111_1111;

    private static final int PSN_LIMIT = 1 << 24;

    private final OpenPort port;
    private final ProtectionDomain domain;
    private final QueuePairType type;
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final QueuePair queuePair;
    private final int psn = ThreadLocalRandom.current().nextInt(PSN_LIMIT);
    private @Nullable AddressHandle addressHandle;

    Wiring(
            OpenPort port,
            ProtectionDomain domain,
            QueuePairType type,
            QueuePairCapabilities capabilities,
            boolean checked) {
        this(port, domain, type, capabilities, checked, null);
    }

    /** Creates a queue pair with an optional channel, in which a thread can sleep until a receive completes. */
    Wiring(
            OpenPort port,
            ProtectionDomain domain,
            QueuePairType type,
            QueuePairCapabilities capabilities,
            boolean checked,
            @Nullable CompletionChannel channel) {
        this.channel = channel;
        this.port = port;
        this.domain = domain;
        this.type = type;
        this.sendQueue = port.context().createCompletionQueue(capabilities.maxSendWr());
        this.receiveQueue = channel == null
                ? port.context().createCompletionQueue(capabilities.maxReceiveWr())
                : port.context().createCompletionQueue(capabilities.maxReceiveWr(), channel);
        QueuePairConfig config = new QueuePairConfig(type, sendQueue, receiveQueue, capabilities, false);
        this.queuePair = domain.createQueuePair(checked ? config : config.unchecked());
        queuePair.modify(toInit());
    }

    private QueuePairAttributes toInit() {
        QueuePairAttributes init = new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(port.number());
        return type == QueuePairType.UD
                ? init.qkey(QKEY)
                : init.accessFlags(AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit());
    }

    QueuePair queuePair() {
        return queuePair;
    }

    CompletionQueue sendQueue() {
        return sendQueue;
    }

    CompletionQueue receiveQueue() {
        return receiveQueue;
    }

    /** Returns the address handle of datagrams, or 0 for a connection. */
    long addressHandle() {
        return addressHandle == null ? 0 : addressHandle.handle();
    }

    EndPoint own(MemoryRegion memory) {
        return new EndPoint(port.lid(), queuePair.number(), psn, port.gid().gid(), memory.address(), memory.rkey());
    }

    void connect(EndPoint peer) {
        if (type == QueuePairType.UD) {
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(psn));
            addressHandle = domain.createAddressHandle(port.to(peer.gid(), peer.lid(), 0));
        } else {
            queuePair.modify(toRtr(peer));
            queuePair.modify(toRts());
        }
    }

    private QueuePairAttributes toRtr(EndPoint peer) {
        return new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(port.to(peer.gid(), peer.lid(), 0))
                .pathMtu(port.mtu())
                .destinationQpn(peer.qpn())
                .receivePsn(peer.psn())
                .maxDestReadAtomic(readDepth())
                .minRnrTimer(12);
    }

    private QueuePairAttributes toRts() {
        return new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .sendPsn(psn)
                .maxReadAtomic(readDepth());
    }

    /** Returns the maximum number of READs that the device can serve at a time, as perftest uses. */
    private int readDepth() {
        DeviceAttributes limits = port.context().attributes();
        return Math.min(limits.maxQpRdAtom(), limits.maxQpInitRdAtom());
    }

    @Override
    public void close() {
        if (addressHandle != null) {
            addressHandle.close();
        }
        queuePair.close();
        sendQueue.close();
        receiveQueue.close();
        if (channel != null) {
            channel.close();
        }
    }
}
