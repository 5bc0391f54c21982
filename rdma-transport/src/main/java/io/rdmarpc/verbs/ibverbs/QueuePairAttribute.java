package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.AlternatePath;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The attributes of a queue pair by name, for messages. */
enum QueuePairAttribute {
    STATE(QueuePairMask.STATE, QueuePairAttributes::state),
    CUR_STATE(QueuePairMask.CUR_STATE, QueuePairAttributes::currentState),
    EN_SQD_ASYNC_NOTIFY(QueuePairMask.EN_SQD_ASYNC_NOTIFY, QueuePairAttributes::notifyWhenDrained),
    ACCESS_FLAGS(QueuePairMask.ACCESS_FLAGS, QueuePairAttributes::accessFlags),
    PKEY_INDEX(QueuePairMask.PKEY_INDEX, QueuePairAttributes::pkeyIndex),
    PORT(QueuePairMask.PORT, QueuePairAttributes::portNumber),
    /** An attribute whose value is a secret. Messages omit the value. */
    QKEY(QueuePairMask.QKEY, attributes -> "..."),
    AV(QueuePairMask.AV, attributes -> route(attributes.addressVector())),
    PATH_MTU(QueuePairMask.PATH_MTU, attributes -> attributes.pathMtu().bytes()),
    TIMEOUT(QueuePairMask.TIMEOUT, QueuePairAttributes::timeout),
    RETRY_CNT(QueuePairMask.RETRY_CNT, QueuePairAttributes::retryCount),
    RNR_RETRY(QueuePairMask.RNR_RETRY, QueuePairAttributes::rnrRetry),
    RQ_PSN(QueuePairMask.RQ_PSN, QueuePairAttributes::receivePsn),
    MAX_QP_RD_ATOMIC(QueuePairMask.MAX_QP_RD_ATOMIC, QueuePairAttributes::maxReadAtomic),
    ALT_PATH(QueuePairMask.ALT_PATH, attributes -> route(attributes.alternatePath())),
    MIN_RNR_TIMER(QueuePairMask.MIN_RNR_TIMER, QueuePairAttributes::minRnrTimer),
    SQ_PSN(QueuePairMask.SQ_PSN, QueuePairAttributes::sendPsn),
    MAX_DEST_RD_ATOMIC(QueuePairMask.MAX_DEST_RD_ATOMIC, QueuePairAttributes::maxDestReadAtomic),
    PATH_MIG_STATE(QueuePairMask.PATH_MIG_STATE, QueuePairAttributes::migrationState),
    CAP(QueuePairMask.CAP, attributes -> String.valueOf(attributes.capabilities())),
    DEST_QPN(QueuePairMask.DEST_QPN, QueuePairAttributes::destinationQpn),
    RATE_LIMIT(QueuePairMask.RATE_LIMIT, QueuePairAttributes::rateLimitKbps);

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

    private static String route(@Nullable AddressHandleAttributes to) {
        return to == null ? "none" : to.destinationGid() + " from GID index " + to.sourceGidIndex();
    }

    private static String route(@Nullable AlternatePath to) {
        return to == null ? "none" : route(to.route());
    }

    /** Returns the attribute's name and value. */
    String describe(QueuePairAttributes attributes) {
        return name() + "=" + value.apply(attributes);
    }
}
