package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.transport.NicContext;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Adds the device in use to {@code /actuator/info}. */
final class RdmaInfoContributor implements InfoContributor {

    private final NicContext nic;

    RdmaInfoContributor(NicContext nic) {
        this.nic = nic;
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> rdma = new LinkedHashMap<>();
        rdma.put("provider", nic.providerName());
        rdma.put("device", nic.deviceName());
        rdma.put("firmware", nic.context().attributes().firmwareVersion());
        rdma.put("port", nic.portNumber());
        rdma.put("gid", nic.gid().gid().toString());
        rdma.put("pathMtu", nic.pathMtu().bytes());
        String version = RdmaInfoContributor.class.getPackage().getImplementationVersion();
        if (version != null) {
            rdma.put("version", version);
        }
        builder.withDetail("rdma", rdma);
    }
}
