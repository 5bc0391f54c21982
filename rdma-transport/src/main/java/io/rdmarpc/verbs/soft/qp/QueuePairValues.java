package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.port.DeviceConstants;

/** Checks the values of attributes before any of them is applied. */
final class QueuePairValues {

    static final String VERB = "ibv_modify_qp";

    private QueuePairValues() {}

    /**
     * Checks all attributes that are set.
     *
     * @throws RdmaVerbsException if a value is out of range; names the first one
     */
    static void check(QueuePairAttributes attributes) {
        range(attributes, QueuePairMask.PKEY_INDEX, attributes.pkeyIndex(), 0, 0);
        range(attributes, QueuePairMask.PORT, attributes.portNumber(), 1, 1);
        range(attributes, QueuePairMask.MAX_QP_RD_ATOMIC, attributes.maxReadAtomic(), 0, DeviceConstants.MAX_READS);
        range(
                attributes,
                QueuePairMask.MAX_DEST_RD_ATOMIC,
                attributes.maxDestReadAtomic(),
                0,
                DeviceConstants.MAX_READS);
        attributes.requireEncodable(DeviceConstants.NAME);
    }

    private static void range(QueuePairAttributes attributes, int bit, int value, int min, int max) {
        if (attributes.has(bit) && (value < min || value > max)) {
            throw new RdmaVerbsException(
                    VERB,
                    DeviceConstants.NAME,
                    Errno.EINVAL,
                    QueuePairMask.names(bit) + " " + value + " is out of range. Use "
                            + (min == max ? "" + min : min + " to " + max) + ".");
        }
    }
}
