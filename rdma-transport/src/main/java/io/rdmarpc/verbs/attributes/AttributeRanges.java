package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;

/**
 * What the attributes of queue pairs and address handles can hold: the widths of the fields of packets (InfiniBand
 * Architecture Specification vol. 1, 9.2 and 12.7) where those are narrower than the fields of the C structs.
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
        AddressHandleAttributes way = attributes.addressVector();
        if (way != null) {
            check(way, MODIFY, device);
        }
        AlternatePath alternate = attributes.alternatePath();
        if (alternate != null) {
            check(alternate.way(), MODIFY, device);
            check(MODIFY, device, "alternate PKEY_INDEX", alternate.pkeyIndex(), 0, BITS_16);
            check(MODIFY, device, "alternate TIMEOUT", alternate.timeout(), 0, BITS_5);
        }
    }

    private static void check(QueuePairAttributes attributes, String device, int bit, int value, int least, int most) {
        if (attributes.has(bit)) {
            check(MODIFY, device, QueuePairMask.names(bit), value, least, most);
        }
    }

    static void check(AddressHandleAttributes way, String verb, String device) {
        check(verb, device, "Destination LID", way.destinationLid(), 0, BITS_16);
        check(verb, device, "Source GID index", way.sourceGidIndex(), 0, BITS_8);
        check(verb, device, "Hop limit", way.hopLimit(), 0, BITS_8);
        check(verb, device, "Traffic class", way.trafficClass(), 0, BITS_8);
        check(verb, device, "Service level", way.serviceLevel(), 0, BITS_4);
        check(verb, device, "Port", way.portNumber(), 1, BITS_8);
        check(verb, device, "Flow label", way.flowLabel(), 0, BITS_20);
        check(verb, device, "Source path bits", way.sourcePathBits(), 0, BITS_7);
        check(verb, device, "Static rate", way.staticRate(), 0, BITS_8);
    }

    private static void check(String verb, String device, String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EINVAL,
                    name + " " + value + " is out of range. Use " + least + " to " + most + ".");
        }
    }
}
