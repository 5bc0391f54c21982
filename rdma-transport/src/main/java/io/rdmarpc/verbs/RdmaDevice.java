package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.OptionalLong;

/** A device that can be opened. */
public interface RdmaDevice {

    /**
     * Returns its name.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    String name();

    /**
     * Returns what it is in its network.
     *
     * @return the kind of node
     */
    default NodeType nodeType() {
        return NodeType.UNKNOWN;
    }

    /**
     * Returns its protocol family.
     *
     * @return the family; that of RoCE is {@link TransportType#IB}
     */
    default TransportType transport() {
        return TransportType.UNKNOWN;
    }

    /**
     * Returns its GUID as far as it is known without opening the device.
     *
     * @return big-endian bits as in {@link DeviceAttributes#nodeGuid()}, or nothing
     */
    default OptionalLong nodeGuid() {
        return OptionalLong.empty();
    }

    /**
     * Opens it.
     *
     * @return the context, to be closed by the caller
     * @throws RdmaVerbsException when it cannot be opened, for instance without rights on its device file
     */
    RdmaContext open();
}
