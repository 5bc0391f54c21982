package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.chars;
import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ffi.CStruct.unused;

import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;

/**
 * A device in the list of libibverbs.
 *
 * <pre>
 *   struct ibv_device {                            byte
 *       struct _ibv_device_ops   _ops;                0   two pointers
 *       enum ibv_node_type       node_type;          16
 *       enum ibv_transport_type  transport_type;     20
 *       char                     name[64];           24   mlx5_0
 *       char                     dev_name[64];       88   uverbs0
 *       char                     dev_path[256];     152   /sys/class/infiniband_verbs/uverbs0
 *       char                     ibdev_path[256];   408   /sys/class/infiniband/mlx5_0
 *   };                                              664
 * </pre>
 *
 * @param memory the struct; it belongs to the library and is valid while its list or its context is open
 */
public record DeviceStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_device",
            unused(2 * CStruct.POINTER.byteSize()),
            CStruct.U32.withName("node_type"),
            CStruct.U32.withName("transport_type"),
            chars("name", 64),
            chars("dev_name", 64),
            chars("dev_path", 256),
            chars("ibdev_path", 256));

    private static final long NODE_TYPE = offset(LAYOUT, "node_type");
    private static final long TRANSPORT_TYPE = offset(LAYOUT, "transport_type");
    private static final long NAME = offset(LAYOUT, "name");
    private static final long DEV_NAME = offset(LAYOUT, "dev_name");
    private static final long IBDEV_PATH = offset(LAYOUT, "ibdev_path");

    public static DeviceStruct at(long pointer) {
        return new DeviceStruct(CStruct.at(pointer, LAYOUT.byteSize()));
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the name, such as {@code mlx5_0}. */
    public String name() {
        return memory.getString(NAME);
    }

    /** Returns the device's role in its network. */
    public NodeType nodeType() {
        return NodeType.of(memory.get(CStruct.U32, NODE_TYPE));
    }

    /** Returns the protocol family. */
    public TransportType transport() {
        return TransportType.of(memory.get(CStruct.U32, TRANSPORT_TYPE));
    }

    /** Returns the device file, which must be readable and writable. */
    public Path file() {
        return Path.of("/dev/infiniband", memory.getString(DEV_NAME));
    }

    /** Returns the device's directory in sysfs. */
    public Path sysfs() {
        return Path.of(memory.getString(IBDEV_PATH));
    }
}
