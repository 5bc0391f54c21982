package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;

/**
 * The valid ranges of the attributes of queue pairs and address handles. They follow the widths of packet fields
 * (InfiniBand Architecture Specification vol. 1, 9.2 and 12.7) where those are narrower than the fields of the C
 * structs.
 */
final class AttributeRanges {

    private static final String MODIFY = "ibv_modify_qp";
    private static final int BITS_3 = 0x7;
    private static final int BITS_4 = 0xF;
    private static final int BITS_5 = 0x1F;
    private static final int BITS_7 = 0x7F;
    private static final int BITS_8 = 0xFF;
    private static final int BITS_16 = 0xFFFF;
    private static final int BITS_20 = 0xF_FFFF;
    private static final int BITS_24 = 0xFF_FFFF;

    private AttributeRanges() {}

    static void check(QueuePairAttributes attributes, String device) {
        check(attributes, device, QueuePairMask.PKEY_INDEX, attributes.pkeyIndex(), 0, BITS_16);
        check(attributes, device, QueuePairMask.PORT, attributes.portNumber(), 1, BITS_8);
        check(attributes, device, QueuePairMask.DEST_QPN, attributes.destinationQpn(), 0, BITS_24);
        check(attributes, device, QueuePairMask.RQ_PSN, attributes.receivePsn(), 0, BITS_24);
        check(attributes, device, QueuePairMask.SQ_PSN, attributes.sendPsn(), 0, BITS_24);
        check(attributes, device, QueuePairMask.TIMEOUT, attributes.timeout(), 0, BITS_5);
        check(attributes, device, QueuePairMask.RETRY_CNT, attributes.retryCount(), 0, BITS_3);
        check(attributes, device, QueuePairMask.RNR_RETRY, attributes.rnrRetry(), 0, BITS_3);
        check(attributes, device, QueuePairMask.MIN_RNR_TIMER, attributes.minRnrTimer(), 0, BITS_5);
        check(attributes, device, QueuePairMask.MAX_QP_RD_ATOMIC, attributes.maxReadAtomic(), 0, BITS_8);
        check(attributes, device, QueuePairMask.MAX_DEST_RD_ATOMIC, attributes.maxDestReadAtomic(), 0, BITS_8);
        AddressHandleAttributes route = attributes.addressVector();
        if (route != null) {
            check(route, MODIFY, device);
        }
        AlternatePath alternate = attributes.alternatePath();
        if (alternate != null) {
            check(alternate.route(), MODIFY, device);
            check(MODIFY, device, "alternate PKEY_INDEX", alternate.pkeyIndex(), 0, BITS_16);
            check(MODIFY, device, "alternate TIMEOUT", alternate.timeout(), 0, BITS_5);
        }
    }

    private static void check(QueuePairAttributes attributes, String device, int bit, int value, int min, int max) {
        if (attributes.has(bit)) {
            check(MODIFY, device, QueuePairMask.names(bit), value, min, max);
        }
    }

    static void check(AddressHandleAttributes route, String verb, String device) {
        check(verb, device, "Destination LID", route.destinationLid(), 0, BITS_16);
        check(verb, device, "Source GID index", route.sourceGidIndex(), 0, BITS_8);
        check(verb, device, "Hop limit", route.hopLimit(), 0, BITS_8);
        check(verb, device, "Traffic class", route.trafficClass(), 0, BITS_8);
        check(verb, device, "Service level", route.serviceLevel(), 0, BITS_4);
        check(verb, device, "Port", route.portNumber(), 1, BITS_8);
        check(verb, device, "Flow label", route.flowLabel(), 0, BITS_20);
        check(verb, device, "Source path bits", route.sourcePathBits(), 0, BITS_7);
        check(verb, device, "Static rate", route.staticRate(), 0, BITS_8);
    }

    private static void check(String verb, String device, String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EINVAL,
                    name + " " + value + " is out of range. Use " + min + " to " + max + ".");
        }
    }
}
