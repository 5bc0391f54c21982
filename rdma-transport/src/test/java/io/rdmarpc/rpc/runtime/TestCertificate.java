package io.rdmarpc.rpc.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key with a self-signed certificate, created by keytool. */
final class TestCertificate {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final KeyStore keys;

    /** Creates a certificate for an alternative name of 127.0.0.1, such as {@code dns:localhost}. */
    TestCertificate(Path directory, String name, String alternativeName)
            throws IOException, GeneralSecurityException, InterruptedException {
        Path file = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "key",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + alternativeName,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .inheritIO()
                .start();
        if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new AssertionError("keytool failed");
        }
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
    }

    /** Returns the TLS context of a peer with this key, which trusts other certificates. */
    SSLContext trusting(TestCertificate... others) throws GeneralSecurityException, IOException {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        return context(own.getKeyManagers(), others);
    }

    /** Returns the TLS context of a peer without a key. */
    static SSLContext anonymous(TestCertificate... others) throws GeneralSecurityException, IOException {
        return context(null, others);
    }

    private static SSLContext context(KeyManager[] own, TestCertificate... others)
            throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (int i = 0; i < others.length; i++) {
            trusted.setCertificateEntry("trusted" + i, others[i].keys.getCertificate("key"));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, trust.getTrustManagers(), null);
        return context;
    }
}
