package io.rdmarpc.rpc;

import java.security.Principal;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a peer, as far as its control connection shows it.
 *
 * @param address the peer's control address
 * @param principal the subject of the certificate that the peer presented over TLS, null without one
 * @param certificates the certificates that the peer presented, its own first; empty without TLS
 */
public record PeerIdentity(String address, @Nullable Principal principal, List<Certificate> certificates) {

    /**
     * Copies the list.
     *
     * @param address the peer's control address
     * @param principal the subject of its certificate, null without one
     * @param certificates the certificates that the peer presented
     */
    public PeerIdentity {
        certificates = List.copyOf(certificates);
    }

    /**
     * Describes a peer by its certificates.
     *
     * @param address the peer's control address
     * @param certificates the peer's own certificate first; may be empty
     * @return the identity, with the subject of the first certificate as its principal
     */
    public static PeerIdentity of(String address, List<Certificate> certificates) {
        boolean named = !certificates.isEmpty() && certificates.getFirst() instanceof X509Certificate;
        Principal subject = named ? ((X509Certificate) certificates.getFirst()).getSubjectX500Principal() : null;
        return new PeerIdentity(address, subject, certificates);
    }

    /**
     * Describes a peer by its address, without certificates.
     *
     * @param address the peer's control address
     * @return the identity, without certificates
     */
    public static PeerIdentity ofAddress(String address) {
        return new PeerIdentity(address, null, List.of());
    }
}
