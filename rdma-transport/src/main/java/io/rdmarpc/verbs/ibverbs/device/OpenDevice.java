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
 * What all objects that were made from one open device share: the library, the device's own numbers, and where they are registered for
 * events and for its end. Two objects are of one device if they have the same of these.
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

    /** Protection domains, which close what was made in them first. */
    public Children domains() {
        return domains;
    }

    /** Everything else that is closed with the device. */
    public Children children() {
        return children;
    }

    /** Where what was made from this device is found by its pointer. */
    public EventTargets eventTargets() {
        return eventTargets;
    }

    public PortAttributes queryPort(int portNumber) {
        if (portNumber < 1 || portNumber > attributes.physicalPortCount()) {
            throw new RdmaVerbsException("ibv_query_port", deviceName, Errno.EINVAL, noPort(portNumber));
        }
        return lifetime.whileOpen("ibv_query_port", () -> {
            try (Arena arena = Arena.ofConfined()) {
                PortAttrStruct answer = PortAttrStruct.allocate(arena);
                library.queryPort(struct, portNumber, answer).check(deviceName, errno -> noPort(portNumber));
                return answer.toAttributes();
            }
        });
    }

    private String noPort(int portNumber) {
        return "Port " + portNumber + " was asked for; the device has ports 1 to " + attributes.physicalPortCount();
    }
}
