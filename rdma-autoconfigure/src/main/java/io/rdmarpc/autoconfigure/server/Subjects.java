package io.rdmarpc.autoconfigure.server;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.springframework.boot.ssl.SslBundle;

/** Subjects of the certificates in a bundle. */
final class Subjects {

    private Subjects() {}

    /** Returns the subjects of the bundle's own certificates. Returns none if the bundle cannot be read. */
    static List<LdapName> of(SslBundle bundle) {
        List<LdapName> subjects = new ArrayList<>();
        KeyStore keys = bundle.getStores().getKeyStore();
        if (keys == null) {
            return subjects;
        }
        try {
            for (String alias : Collections.list(keys.aliases())) {
                if (keys.getCertificate(alias) instanceof X509Certificate own) {
                    subjects.add(new LdapName(own.getSubjectX500Principal().getName()));
                }
            }
        } catch (KeyStoreException | InvalidNameException e) {
            return List.of();
        }
        return subjects;
    }
}
