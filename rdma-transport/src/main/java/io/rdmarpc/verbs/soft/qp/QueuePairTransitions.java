package io.rdmarpc.verbs.soft.qp;

import static io.rdmarpc.verbs.attributes.QueuePairMask.ACCESS_FLAGS;
import static io.rdmarpc.verbs.attributes.QueuePairMask.AV;
import static io.rdmarpc.verbs.attributes.QueuePairMask.CUR_STATE;
import static io.rdmarpc.verbs.attributes.QueuePairMask.DEST_QPN;
import static io.rdmarpc.verbs.attributes.QueuePairMask.EN_SQD_ASYNC_NOTIFY;
import static io.rdmarpc.verbs.attributes.QueuePairMask.MAX_DEST_RD_ATOMIC;
import static io.rdmarpc.verbs.attributes.QueuePairMask.MAX_QP_RD_ATOMIC;
import static io.rdmarpc.verbs.attributes.QueuePairMask.MIN_RNR_TIMER;
import static io.rdmarpc.verbs.attributes.QueuePairMask.PATH_MTU;
import static io.rdmarpc.verbs.attributes.QueuePairMask.PKEY_INDEX;
import static io.rdmarpc.verbs.attributes.QueuePairMask.PORT;
import static io.rdmarpc.verbs.attributes.QueuePairMask.QKEY;
import static io.rdmarpc.verbs.attributes.QueuePairMask.RETRY_CNT;
import static io.rdmarpc.verbs.attributes.QueuePairMask.RNR_RETRY;
import static io.rdmarpc.verbs.attributes.QueuePairMask.RQ_PSN;
import static io.rdmarpc.verbs.attributes.QueuePairMask.SQ_PSN;
import static io.rdmarpc.verbs.attributes.QueuePairMask.STATE;
import static io.rdmarpc.verbs.attributes.QueuePairMask.TIMEOUT;
import static io.rdmarpc.verbs.attributes.QueuePairState.ERR;
import static io.rdmarpc.verbs.attributes.QueuePairState.INIT;
import static io.rdmarpc.verbs.attributes.QueuePairState.RESET;
import static io.rdmarpc.verbs.attributes.QueuePairState.RTR;
import static io.rdmarpc.verbs.attributes.QueuePairState.RTS;
import static io.rdmarpc.verbs.attributes.QueuePairState.SQD;
import static io.rdmarpc.verbs.attributes.QueuePairState.SQE;
import static io.rdmarpc.verbs.attributes.QueuePairType.RC;
import static io.rdmarpc.verbs.attributes.QueuePairType.UC;
import static io.rdmarpc.verbs.attributes.QueuePairType.UD;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The allowed state transitions with their required and optional attributes (InfiniBand Architecture Specification vol.
 * 1, Modify Queue Pair: 11.2.4.2 of revision 1.2.1; Linux checks the same in {@code ib_modify_qp_is_ok}). Every state
 * may also go to RESET and to ERR, without other attributes.
 *
 * <pre>
 *                 UD needs                 RC needs
 *   RESET->INIT   PKEY_INDEX, PORT, QKEY   PKEY_INDEX, PORT, ACCESS_FLAGS
 *   INIT->RTR     -                        AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER
 *   RTR->RTS      SQ_PSN                   SQ_PSN, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC
 *   SQE->RTS      -                        (UC and UD only)
 *   RTS->SQD      -                        -
 *   SQD->RTS      -                        -
 * </pre>
 *
 * UC needs the attributes of RC, without MAX_*_RD_ATOMIC, MIN_RNR_TIMER, TIMEOUT, RETRY_CNT and RNR_RETRY.
 */
final class QueuePairTransitions {

    private static final String VERB = "ibv_modify_qp";

    private static final List<Transition> TRANSITIONS = List.of(
            new Transition(UD, RESET, INIT, PKEY_INDEX | PORT | QKEY, 0),
            new Transition(UD, INIT, INIT, 0, PKEY_INDEX | PORT | QKEY),
            new Transition(UD, INIT, RTR, 0, PKEY_INDEX | QKEY),
            new Transition(UD, RTR, RTS, SQ_PSN, QKEY),
            new Transition(UD, RTS, RTS, 0, QKEY),
            new Transition(UD, SQE, RTS, 0, QKEY),
            new Transition(UD, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY),
            new Transition(UD, SQD, SQD, 0, PKEY_INDEX | QKEY),
            new Transition(UD, SQD, RTS, 0, QKEY),
            new Transition(RC, RESET, INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0),
            new Transition(RC, INIT, INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS),
            new Transition(
                    RC,
                    INIT,
                    RTR,
                    AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
                    ACCESS_FLAGS | PKEY_INDEX),
            new Transition(
                    RC,
                    RTR,
                    RTS,
                    TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC,
                    ACCESS_FLAGS | MIN_RNR_TIMER),
            new Transition(RC, RTS, RTS, 0, ACCESS_FLAGS | MIN_RNR_TIMER),
            new Transition(RC, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY),
            new Transition(RC, SQD, SQD, 0, PKEY_INDEX | ACCESS_FLAGS | MIN_RNR_TIMER),
            new Transition(RC, SQD, RTS, 0, ACCESS_FLAGS | MIN_RNR_TIMER),
            new Transition(UC, RESET, INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0),
            new Transition(UC, INIT, INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS),
            new Transition(UC, INIT, RTR, AV | PATH_MTU | DEST_QPN | RQ_PSN, ACCESS_FLAGS | PKEY_INDEX),
            new Transition(UC, RTR, RTS, SQ_PSN, ACCESS_FLAGS),
            new Transition(UC, RTS, RTS, 0, ACCESS_FLAGS),
            new Transition(UC, SQE, RTS, 0, ACCESS_FLAGS),
            new Transition(UC, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY),
            new Transition(UC, SQD, SQD, 0, PKEY_INDEX | ACCESS_FLAGS),
            new Transition(UC, SQD, RTS, 0, ACCESS_FLAGS));

    private QueuePairTransitions() {}

    /** A row of the table. */
    private record Transition(QueuePairType type, QueuePairState from, QueuePairState to, int required, int optional) {

        private boolean is(QueuePairType ofType, QueuePairState ofFrom, QueuePairState ofTo) {
            return type == ofType && from == ofFrom && to == ofTo;
        }
    }

    /**
     * Checks a transition.
     *
     * @return the state to enter
     * @throws RdmaVerbsException if the transition is not allowed, or an attribute is missing or not allowed
     */
    static QueuePairState check(QueuePairType type, QueuePairState from, QueuePairAttributes attributes) {
        QueuePairState to = attributes.has(STATE) ? attributes.state() : from;
        String what = "The transition of a " + type + " queue pair from " + from + " to " + to;
        Transition transition = find(type, from, to);
        if (transition == null) {
            throw failure(
                    Errno.EINVAL,
                    what + " is not allowed. Use the steps RESET, INIT, RTR, RTS, SQD, or go to ERR or RESET.");
        }
        int missing = transition.required() & ~attributes.mask();
        if (missing != 0) {
            throw failure(Errno.EINVAL, what + " also needs " + QueuePairMask.names(missing) + ". Set it.");
        }
        // Every transition to RTS may name the current state (11.2.5.2, Modify QP).
        int always = to == RTS ? STATE | CUR_STATE : STATE;
        int extra = attributes.mask() & ~(transition.required() | transition.optional() | always);
        if (extra != 0) {
            throw failure(Errno.EINVAL, what + " does not accept " + QueuePairMask.names(extra) + ". Leave it out.");
        }
        if (attributes.has(CUR_STATE) && attributes.currentState() != from) {
            throw failure(
                    Errno.EINVAL,
                    what + " does not start in CUR_STATE " + attributes.currentState() + ". Leave it out.");
        }
        return to;
    }

    private static @Nullable Transition find(QueuePairType type, QueuePairState from, QueuePairState to) {
        if (to == RESET || to == ERR) {
            return new Transition(type, from, to, 0, 0);
        }
        for (Transition transition : TRANSITIONS) {
            if (transition.is(type, from, to)) {
                return transition;
            }
        }
        return null;
    }

    private static RdmaVerbsException failure(int errno, String explanation) {
        return new RdmaVerbsException(VERB, DeviceConstants.NAME, errno, explanation);
    }
}
