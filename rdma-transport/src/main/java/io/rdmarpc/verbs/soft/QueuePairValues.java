package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.soft.wire.Psn;

/** Checks the values of attributes before any of them is taken. */
final class QueuePairValues {

    static final String VERB = "ibv_modify_qp";

    private static final int LARGEST_QPN = 0xFF_FFFF;
    private static final int LARGEST_TIMER = 31;
    private static final int LARGEST_RETRY = 7;

    private QueuePairValues() {}

    /**
     * Checks all attributes that are set.
     *
     * @throws VerbsException for the first value out of range
     */
    static void check(QueuePairAttributes attributes) {
        range(attributes, QueuePairAttributes.PKEY_INDEX, "PKEY_INDEX", attributes.pkeyIndex(), 0, 0);
        range(attributes, QueuePairAttributes.PORT, "PORT", attributes.portNumber(), 1, 1);
        range(attributes, QueuePairAttributes.DEST_QPN, "DEST_QPN", attributes.destinationQpn(), 0, LARGEST_QPN);
        range(attributes, QueuePairAttributes.RQ_PSN, "RQ_PSN", attributes.receivePsn(), 0, Psn.MASK);
        range(attributes, QueuePairAttributes.SQ_PSN, "SQ_PSN", attributes.sendPsn(), 0, Psn.MASK);
        range(attributes, QueuePairAttributes.TIMEOUT, "TIMEOUT", attributes.timeout(), 0, LARGEST_TIMER);
        range(attributes, QueuePairAttributes.RETRY_CNT, "RETRY_CNT", attributes.retryCount(), 0, LARGEST_RETRY);
        range(attributes, QueuePairAttributes.RNR_RETRY, "RNR_RETRY", attributes.rnrRetry(), 0, LARGEST_RETRY);
        range(
                attributes,
                QueuePairAttributes.MIN_RNR_TIMER,
                "MIN_RNR_TIMER",
                attributes.minRnrTimer(),
                0,
                LARGEST_TIMER);
        range(
                attributes,
                QueuePairAttributes.MAX_QP_RD_ATOMIC,
                "MAX_QP_RD_ATOMIC",
                attributes.maxReadAtomic(),
                0,
                SoftContext.MAX_READS);
        range(
                attributes,
                QueuePairAttributes.MAX_DEST_RD_ATOMIC,
                "MAX_DEST_RD_ATOMIC",
                attributes.maxDestReadAtomic(),
                0,
                SoftContext.MAX_READS);
    }

    private static void range(QueuePairAttributes attributes, int bit, String name, int value, int least, int most) {
        if (attributes.has(bit) && (value < least || value > most)) {
            throw new VerbsException(
                    VERB,
                    SoftDevice.NAME,
                    Errno.EINVAL,
                    name + " " + value + " is out of range. Use " + (least == most ? "" + least : least + " to " + most)
                            + ".");
        }
    }
}
