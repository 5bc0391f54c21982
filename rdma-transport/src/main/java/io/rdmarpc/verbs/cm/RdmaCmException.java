package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.jspecify.annotations.Nullable;

/**
 * A connection could not be established, or has ended. The exception contains the event that ended the connection, and
 * the private data of a rejection.
 */
public class RdmaCmException extends RdmaVerbsException {

    private static final long serialVersionUID = 1L;

    private static final byte[] NOTHING = {};

    private final CmFailure failure;
    private final @Nullable CmRejectReason rejectReason;
    private final byte[] privateData;

    /**
     * Creates a failure other than a rejection by the peer.
     *
     * @param verb the C name of the verb, such as {@code rdma_connect}
     * @param device the device, or an empty text if there is none yet
     * @param errno the C error number, 0 if the failure has none
     * @param failure the event that ended the connection
     * @param explanation the failed action with its numbers, and the next step
     */
    public RdmaCmException(String verb, String device, int errno, CmFailure failure, String explanation) {
        super(verb, device, errno, explanation);
        this.failure = failure;
        this.rejectReason = null;
        this.privateData = NOTHING;
    }

    /**
     * Creates the failure for a rejection by the peer.
     *
     * @param verb the C name of the verb
     * @param device the device
     * @param errno the C error number
     * @param rejectReason the peer's reason
     * @param privateData the private data of the rejection
     * @param explanation the failed action with its numbers, and the next step
     */
    public RdmaCmException(
            String verb,
            String device,
            int errno,
            CmRejectReason rejectReason,
            byte[] privateData,
            String explanation) {
        super(verb, device, errno, explanation);
        this.failure = CmFailure.REJECTED;
        this.rejectReason = rejectReason;
        this.privateData = privateData.clone();
    }

    /**
     * Returns the event that ended the connection.
     *
     * @return the event
     */
    public CmFailure failure() {
        return failure;
    }

    /**
     * Returns the peer's reason.
     *
     * @return null unless the failure is {@link CmFailure#REJECTED}
     */
    public @Nullable CmRejectReason rejectReason() {
        return rejectReason;
    }

    /**
     * Returns the private data of the peer's rejection.
     *
     * @return a copy; InfiniBand and RoCE pad it with zeros to {@link CmParameters#MAX_REJECT_DATA_BYTES}; empty unless
     *     the failure is {@link CmFailure#REJECTED}
     */
    public byte[] privateData() {
        return privateData.clone();
    }
}
