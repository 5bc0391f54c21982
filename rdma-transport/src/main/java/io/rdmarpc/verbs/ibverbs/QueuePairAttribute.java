package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.QueuePairAttributes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The attributes of a queue pair by name, for messages. */
enum QueuePairAttribute {
    STATE(QueuePairAttributes.STATE, QueuePairAttributes::state),
    ACCESS_FLAGS(QueuePairAttributes.ACCESS_FLAGS, QueuePairAttributes::accessFlags),
    PKEY_INDEX(QueuePairAttributes.PKEY_INDEX, QueuePairAttributes::pkeyIndex),
    PORT(QueuePairAttributes.PORT, QueuePairAttributes::portNumber),
    /** A secret: its value stays out of messages. */
    QKEY(QueuePairAttributes.QKEY, attributes -> "..."),
    AV(QueuePairAttributes.AV, attributes -> way(attributes.addressVector())),
    PATH_MTU(QueuePairAttributes.PATH_MTU, attributes -> attributes.pathMtu().bytes()),
    TIMEOUT(QueuePairAttributes.TIMEOUT, QueuePairAttributes::timeout),
    RETRY_CNT(QueuePairAttributes.RETRY_CNT, QueuePairAttributes::retryCount),
    RNR_RETRY(QueuePairAttributes.RNR_RETRY, QueuePairAttributes::rnrRetry),
    RQ_PSN(QueuePairAttributes.RQ_PSN, QueuePairAttributes::receivePsn),
    MAX_QP_RD_ATOMIC(QueuePairAttributes.MAX_QP_RD_ATOMIC, QueuePairAttributes::maxReadAtomic),
    MIN_RNR_TIMER(QueuePairAttributes.MIN_RNR_TIMER, QueuePairAttributes::minRnrTimer),
    SQ_PSN(QueuePairAttributes.SQ_PSN, QueuePairAttributes::sendPsn),
    MAX_DEST_RD_ATOMIC(QueuePairAttributes.MAX_DEST_RD_ATOMIC, QueuePairAttributes::maxDestReadAtomic),
    DEST_QPN(QueuePairAttributes.DEST_QPN, QueuePairAttributes::destinationQpn);

    private final int bit;

    @SuppressWarnings("ImmutableEnumChecker") // Method references without state.
    private final Function<QueuePairAttributes, Object> value;

    QueuePairAttribute(int bit, Function<QueuePairAttributes, Object> value) {
        this.bit = bit;
        this.value = value;
    }

    boolean isSetIn(QueuePairAttributes attributes) {
        return attributes.has(bit);
    }

    private static String way(@Nullable AddressHandleAttributes to) {
        return to == null ? "nowhere" : to.destinationGid() + " from GID index " + to.sourceGidIndex();
    }

    /** Name and value. */
    String describe(QueuePairAttributes attributes) {
        return name() + "=" + value.apply(attributes);
    }
}
