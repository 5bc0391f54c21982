package io.rdmarpc.rpc.control.net;

import io.rdmarpc.rpc.config.ControlSecurity;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Creates the TLS engines of connections from the settings. */
public final class TlsEngines {

    private TlsEngines() {}

    /** Creates an engine for a connection to a server; returns null without TLS. */
    public static @Nullable SSLEngine client(ControlSecurity security, InetSocketAddress server) {
        SSLContext context = security.ssl();
        if (context == null) {
            return null;
        }
        SSLEngine engine = context.createSSLEngine(server.getHostString(), server.getPort());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        security.restrict(parameters);
        if (security.verifiesHostname()) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Creates an engine for an accepted connection; returns null without TLS. */
    public static @Nullable SSLEngine server(ControlSecurity security) {
        SSLContext context = security.ssl();
        if (context == null) {
            return null;
        }
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        security.restrict(parameters);
        switch (security.clientAuth()) {
            case NEED -> parameters.setNeedClientAuth(true);
            case WANT -> parameters.setWantClientAuth(true);
            case NONE -> parameters.setNeedClientAuth(false);
        }
        engine.setSSLParameters(parameters);
        return engine;
    }
}
