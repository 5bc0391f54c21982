package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.ACCESS_FLAGS;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.AV;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.CAP;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.CUR_STATE;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.DEST_QPN;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.EN_SQD_ASYNC_NOTIFY;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.MAX_QP_RD_ATOMIC;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.MIN_RNR_TIMER;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.PATH_MTU;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.PKEY_INDEX;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.PORT;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.QKEY;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.RATE_LIMIT;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.RETRY_CNT;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.RNR_RETRY;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.RQ_PSN;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.SQ_PSN;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.STATE;
import static io.rdmarpc.verbs.ibverbs.QueuePairAttribute.TIMEOUT;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a modification of a queue pair failed. Devices return EINVAL for a missing attribute, an unknown peer
 * and an unreachable state. The transitions and their required attributes follow the InfiniBand Architecture
 * Specification vol. 1, 11.2.5.2 "modify queue pair".
 *
 * @param type the queue pair's type
 * @param number its number
 * @param from its state before, null if the device did not return it
 * @param attributes the requested changes
 */
record QueuePairTransition(
        QueuePairType type, int number, @Nullable QueuePairState from, QueuePairAttributes attributes) {

    /** Returns a text with the requested changes, the state before, and the missing or wrong attributes. */
    String explain() {
        String requested = type + " queue pair " + number + " in state " + (from == null ? "unknown" : from)
                + " did not accept " + describeAttributes();
        if (!isTransition()) {
            return requested + ". There is no transition from " + from + " to " + attributes.state()
                    + ": use RESET, INIT, RTR, RTS, from RTS to SQD and back, and from any state to ERR or RESET";
        }
        Set<QueuePairAttribute> missing = missing();
        if (!missing.isEmpty()) {
            return requested + ". This transition also requires " + missing;
        }
        Set<QueuePairAttribute> foreign = foreign();
        if (!foreign.isEmpty()) {
            return requested + ". A " + type + " queue pair has no " + foreign + ": omit it";
        }
        return AV.isSetIn(attributes)
                ? requested + ". Check that this GID reaches the peer (ping), and that the peer is not on another"
                        + " device of this host"
                : requested;
    }

    private List<String> describeAttributes() {
        return Arrays.stream(QueuePairAttribute.values())
                .filter(attribute -> attribute.isSetIn(attributes))
                .map(attribute -> attribute.describe(attributes))
                .toList();
    }

    Set<QueuePairAttribute> missing() {
        Set<QueuePairAttribute> missing = required();
        missing.removeIf(attribute -> attribute.isSetIn(attributes));
        return missing;
    }

    private Set<QueuePairAttribute> required() {
        if (isBetween(QueuePairState.RESET, QueuePairState.INIT)) {
            return EnumSet.of(PKEY_INDEX, PORT, type == QueuePairType.UD ? QKEY : ACCESS_FLAGS);
        }
        if (isBetween(QueuePairState.INIT, QueuePairState.RTR)) {
            return toReceive();
        }
        if (isBetween(QueuePairState.RTR, QueuePairState.RTS)) {
            return toSend();
        }
        return EnumSet.noneOf(QueuePairAttribute.class);
    }

    private Set<QueuePairAttribute> toReceive() {
        return switch (type) {
            case RC -> EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER);
            case UC -> EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN);
            case UD -> EnumSet.noneOf(QueuePairAttribute.class);
        };
    }

    private Set<QueuePairAttribute> toSend() {
        return type == QueuePairType.RC
                ? EnumSet.of(SQ_PSN, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC)
                : EnumSet.of(SQ_PSN);
    }

    /** Returns the attributes that are set but do not exist for this type of queue pair. */
    private Set<QueuePairAttribute> foreign() {
        Set<QueuePairAttribute> foreign = switch (type) {
            case RC -> EnumSet.of(QKEY);
            case UC ->
                EnumSet.of(QKEY, TIMEOUT, RETRY_CNT, RNR_RETRY, MIN_RNR_TIMER, MAX_QP_RD_ATOMIC, MAX_DEST_RD_ATOMIC);
            case UD ->
                EnumSet.complementOf(EnumSet.of(
                        STATE, CUR_STATE, EN_SQD_ASYNC_NOTIFY, PKEY_INDEX, PORT, QKEY, SQ_PSN, CAP, RATE_LIMIT));
        };
        foreign.removeIf(attribute -> !attribute.isSetIn(attributes));
        return foreign;
    }

    private boolean isTransition() {
        if (from == null || !QueuePairAttribute.STATE.isSetIn(attributes)) {
            return true;
        }
        return switch (attributes.state()) {
            case RESET, ERR -> true;
            case INIT -> from == QueuePairState.RESET || from == QueuePairState.INIT;
            case RTR -> from == QueuePairState.INIT;
            case RTS -> from.code() >= QueuePairState.RTR.code() && from != QueuePairState.ERR;
            case SQD -> from == QueuePairState.RTS || from == QueuePairState.SQD;
            case SQE -> false;
        };
    }

    private boolean isBetween(QueuePairState before, QueuePairState after) {
        return from == before && QueuePairAttribute.STATE.isSetIn(attributes) && attributes.state() == after;
    }
}
