package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.rpc.config.ClientAuth;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** The current keys of an SSL bundle. An update of the bundle replaces them, unless the new ones cannot be read. */
final class ReloadedBundle {

    private static final Log LOG = LogFactory.getLog(ReloadedBundle.class);

    private final String name;
    private final SslBundle first;
    private volatile SSLContext current;

    private ReloadedBundle(String name, SslBundle first) {
        this.name = name;
        this.first = first;
        this.current = first.createSslContext();
    }

    static ReloadedBundle of(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw invalid(name, "the application has no SSL bundles");
        }
        try {
            ReloadedBundle reloaded = new ReloadedBundle(name, bundles.getBundle(name));
            bundles.addBundleUpdateHandler(name, reloaded::update);
            return reloaded;
        } catch (NoSuchSslBundleException e) {
            throw invalid(name, "there is no SSL bundle of this name");
        }
    }

    private static RdmaConfigurationException invalid(String name, String problem) {
        return new RdmaConfigurationException(
                "security.ssl.bundle",
                name,
                problem,
                "Set spring.ssl.bundle.pem." + name + " or spring.ssl.bundle.jks." + name);
    }

    /** New connections use the new keys. Open connections keep theirs. */
    private void update(SslBundle fresh) {
        try {
            current = fresh.createSslContext();
            LOG.info("SSL bundle " + name + " was reloaded: new RDMA connections use it");
        } catch (RuntimeException e) {
            LOG.error("SSL bundle " + name + " was changed but cannot be used: the previous keys remain in use", e);
        }
    }

    ControlSecurity secure(ControlSecurity security, ClientAuth clientAuth, boolean verifyHostname) {
        return security.withTls(() -> current, clientAuth, verifyHostname)
                .withTlsVersions(
                        list(first.getOptions().getEnabledProtocols()),
                        list(first.getOptions().getCiphers()));
    }

    private static List<String> list(String @Nullable [] names) {
        return names == null ? List.of() : List.of(names);
    }
}
