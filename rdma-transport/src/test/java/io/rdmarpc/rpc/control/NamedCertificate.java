package io.rdmarpc.rpc.control;

import java.math.BigInteger;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** A certificate with a subject only. */
@SuppressWarnings("deprecation") // abstract methods must be implemented
final class NamedCertificate extends X509Certificate {

    private static final long serialVersionUID = 1L;

    private final transient X500Principal subject;

    NamedCertificate(String subject) {
        this.subject = new X500Principal(subject);
    }

    private static UnsupportedOperationException nothingElse() {
        return new UnsupportedOperationException("only the subject of this certificate is known");
    }

    @Override
    public X500Principal getSubjectX500Principal() {
        return subject;
    }

    @Override
    public Principal getSubjectDN() {
        return subject;
    }

    @Override
    public void checkValidity() {}

    @Override
    public void checkValidity(Date date) {}

    @Override
    public int getVersion() {
        throw nothingElse();
    }

    @Override
    public BigInteger getSerialNumber() {
        throw nothingElse();
    }

    @Override
    public Principal getIssuerDN() {
        throw nothingElse();
    }

    @Override
    public Date getNotBefore() {
        throw nothingElse();
    }

    @Override
    public Date getNotAfter() {
        throw nothingElse();
    }

    @Override
    public byte[] getTBSCertificate() {
        throw nothingElse();
    }

    @Override
    public byte[] getSignature() {
        throw nothingElse();
    }

    @Override
    public String getSigAlgName() {
        throw nothingElse();
    }

    @Override
    public String getSigAlgOID() {
        throw nothingElse();
    }

    @Override
    public byte[] getSigAlgParams() {
        throw nothingElse();
    }

    @Override
    public boolean @Nullable [] getIssuerUniqueID() {
        return null;
    }

    @Override
    public boolean @Nullable [] getSubjectUniqueID() {
        return null;
    }

    @Override
    public boolean @Nullable [] getKeyUsage() {
        return null;
    }

    @Override
    public int getBasicConstraints() {
        return -1;
    }

    @Override
    public byte[] getEncoded() {
        return subject.getEncoded();
    }

    @Override
    public void verify(PublicKey key) {
        throw nothingElse();
    }

    @Override
    public void verify(PublicKey key, String provider) {
        throw nothingElse();
    }

    @Override
    public String toString() {
        return subject.getName();
    }

    @Override
    public PublicKey getPublicKey() {
        throw nothingElse();
    }

    @Override
    public boolean hasUnsupportedCriticalExtension() {
        return false;
    }

    @Override
    public @Nullable Set<String> getCriticalExtensionOIDs() {
        return null;
    }

    @Override
    public @Nullable Set<String> getNonCriticalExtensionOIDs() {
        return null;
    }

    @Override
    public byte @Nullable [] getExtensionValue(String oid) {
        return null;
    }
}
