package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.ControlSecurity;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Makes the engines of TLS connections as the settings want them. */
final class TlsEngines {

    private TlsEngines() {}

    /** Returns null without TLS. */
    static @Nullable SSLEngine client(ControlSecurity security, InetSocketAddress server) {
        SSLContext context = security.ssl();
        if (context == null) {
            return null;
        }
        SSLEngine engine = context.createSSLEngine(server.getHostString(), server.getPort());
        engine.setUseClientMode(true);
        if (security.checksHostName()) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            engine.setSSLParameters(parameters);
        }
        return engine;
    }

    /** Returns null without TLS. */
    static @Nullable SSLEngine server(ControlSecurity security) {
        SSLContext context = security.ssl();
        if (context == null) {
            return null;
        }
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(security.needsClientCertificates());
        return engine;
    }
}
