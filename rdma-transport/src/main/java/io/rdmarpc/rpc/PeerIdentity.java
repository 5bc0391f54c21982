package io.rdmarpc.rpc;

import java.security.Principal;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who a peer is, as far as its control channel tells.
 *
 * @param address the peer's control address
 * @param principal the subject of the certificate that it has shown by TLS, null without one
 * @param certificates the certificates that it has shown, its own first; none without TLS
 */
public record PeerIdentity(String address, @Nullable Principal principal, List<Certificate> certificates) {

    /**
     * Copies the list.
     *
     * @param address the peer's control address
     * @param principal the subject of its certificate, null without one
     * @param certificates the certificates that it has shown
     */
    public PeerIdentity {
        certificates = List.copyOf(certificates);
    }

    /**
     * Describes a peer that has shown certificates.
     *
     * @param address the peer's control address
     * @param certificates its own first, may be none
     * @return with the subject of the first as its principal
     */
    public static PeerIdentity of(String address, List<Certificate> certificates) {
        boolean named = !certificates.isEmpty() && certificates.getFirst() instanceof X509Certificate;
        Principal subject = named ? ((X509Certificate) certificates.getFirst()).getSubjectX500Principal() : null;
        return new PeerIdentity(address, subject, certificates);
    }

    /**
     * Describes a peer of which no more is known than where it is.
     *
     * @param address the peer's control address
     * @return without certificates
     */
    public static PeerIdentity ofAddress(String address) {
        return new PeerIdentity(address, null, List.of());
    }
}
