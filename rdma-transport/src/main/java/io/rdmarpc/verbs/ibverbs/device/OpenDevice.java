package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.PortAttrStruct;
import java.lang.foreign.Arena;

/**
 * The state that all objects of one open device share: the library, the device's handles, its children and the targets
 * of events. Two objects belong to one device if they share the same instance.
 */
public final class OpenDevice {

    private final LibIbverbs library;
    private final ContextStruct struct;
    private final String deviceName;
    private final DataPath dataPath;
    private final DeviceAttributes attributes;
    private final Lifetime lifetime;
    private final Children domains = new Children();
    private final Children children = new Children();
    private final EventTargets eventTargets = new EventTargets();

    public OpenDevice(
            LibIbverbs library,
            ContextStruct struct,
            String deviceName,
            DataPath dataPath,
            DeviceAttributes attributes) {
        this.library = library;
        this.struct = struct;
        this.deviceName = deviceName;
        this.dataPath = dataPath;
        this.attributes = attributes;
        this.lifetime = new Lifetime("device", deviceName);
    }

    public LibIbverbs library() {
        return library;
    }

    public ContextStruct struct() {
        return struct;
    }

    public String deviceName() {
        return deviceName;
    }

    public DataPath dataPath() {
        return dataPath;
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    public Lifetime lifetime() {
        return lifetime;
    }

    /** Returns the protection domains, which are closed before all other children. */
    public Children domains() {
        return domains;
    }

    /** Returns all other children, which are closed with the device. */
    public Children children() {
        return children;
    }

    /** Returns the objects of this device by their pointers. */
    public EventTargets eventTargets() {
        return eventTargets;
    }

    public PortAttributes queryPort(int portNumber) {
        if (portNumber < 1 || portNumber > attributes.physicalPortCount()) {
            throw new RdmaVerbsException("ibv_query_port", deviceName, Errno.EINVAL, noPort(portNumber));
        }
        return lifetime.whileOpen("ibv_query_port", () -> {
            try (Arena arena = Arena.ofConfined()) {
                PortAttrStruct result = PortAttrStruct.allocate(arena);
                library.queryPort(struct, portNumber, result).check(deviceName, errno -> noPort(portNumber));
                return result.toAttributes();
            }
        });
    }

    private String noPort(int portNumber) {
        return "Port " + portNumber + " was requested; the device has ports 1 to " + attributes.physicalPortCount();
    }
}
