package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.OptionalLong;

/** An RDMA device that can be opened. */
public interface RdmaDevice {

    /**
     * Returns the device's name.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    String name();

    /**
     * Returns the device's role in its network.
     *
     * @return the kind of node
     */
    default NodeType nodeType() {
        return NodeType.UNKNOWN;
    }

    /**
     * Returns the device's protocol family.
     *
     * @return the family; that of RoCE is {@link TransportType#IB}
     */
    default TransportType transport() {
        return TransportType.UNKNOWN;
    }

    /**
     * Returns the device's GUID, if it is known without opening the device.
     *
     * @return big-endian bits as in {@link DeviceAttributes#nodeGuid()}, or empty
     */
    default OptionalLong nodeGuid() {
        return OptionalLong.empty();
    }

    /**
     * Opens the device.
     *
     * @return the context, which the caller closes
     * @throws RdmaVerbsException if the device cannot be opened, for instance without rights to its device file
     */
    RdmaContext open();
}
