package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.DeviceAttributes;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.PortAttributes;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.PortAttrStruct;
import java.lang.foreign.Arena;

/**
 * What all objects that were made from one open device share: the library, the device's own numbers, and where they are registered for
 * events and for its end. Two objects are of one device if they have the same of these.
 */
final class OpenDevice {

    private final LibIbverbs library;
    private final ContextStruct struct;
    private final String deviceName;
    private final DataPath dataPath;
    private final DeviceAttributes attributes;
    private final Lifetime lifetime;
    private final Children domains = new Children();
    private final Children children = new Children();
    private final EventTargets eventTargets = new EventTargets();

    OpenDevice(
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

    LibIbverbs library() {
        return library;
    }

    ContextStruct struct() {
        return struct;
    }

    String deviceName() {
        return deviceName;
    }

    DataPath dataPath() {
        return dataPath;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** Protection domains, which close what was made in them first. */
    Children domains() {
        return domains;
    }

    /** Everything else that is closed with the device. */
    Children children() {
        return children;
    }

    /** Where what was made from this device is found by its pointer. */
    EventTargets eventTargets() {
        return eventTargets;
    }

    PortAttributes queryPort(int portNumber) {
        if (portNumber < 1 || portNumber > attributes.physicalPortCount()) {
            throw new VerbsException("ibv_query_port", deviceName, Errno.EINVAL, noPort(portNumber));
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
