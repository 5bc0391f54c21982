package io.rdmarpc.integration.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A certificate authority made by keytool, and PEM files for Spring's SSL bundles. */
public final class TestAuthority {

    private static final String PASSWORD = "changeit";

    private final Path directory;
    private final Path store;
    private final String name;

    /** Makes the authority. */
    public TestAuthority(Path directory, String name) throws IOException, InterruptedException {
        this.directory = directory;
        this.name = name;
        this.store = directory.resolve(name + ".p12");
        keytool(store, "-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc:c");
    }

    /** The PEM file of what to trust. */
    public Path certificate() throws IOException, GeneralSecurityException {
        Path file = directory.resolve(name + "-ca.pem");
        return Files.exists(file)
                ? file
                : write(file, pem("CERTIFICATE", keys().getCertificate("ca").getEncoded()));
    }

    /** Makes a key with a certificate of this authority: {@code <file>.crt} and {@code <file>.key}. */
    public void issue(String file, String subject, String alternativeName, String... options)
            throws IOException, InterruptedException, GeneralSecurityException {
        String alias = file + System.nanoTime();
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-signer", "ca"));
        arguments.addAll(List.of("-keyalg", "EC", "-dname", subject, "-ext", "san=" + alternativeName));
        arguments.addAll(List.of(options));
        keytool(store, arguments.toArray(String[]::new));
        KeyStore keys = keys();
        PrivateKey key = (PrivateKey) keys.getKey(alias, PASSWORD.toCharArray());
        // The key first: what watches the certificate finds both new.
        write(directory.resolve(file + ".key"), pem("PRIVATE KEY", key.getEncoded()));
        write(
                directory.resolve(file + ".crt"),
                pem("CERTIFICATE", keys.getCertificate(alias).getEncoded()));
    }

    /** The settings of a bundle with a key and the authorities it trusts. */
    public static String[] bundle(Path directory, String file, TestAuthority... trusted) throws Exception {
        StringBuilder trust = new StringBuilder();
        for (TestAuthority authority : trusted) {
            trust.append(Files.readString(authority.certificate()));
        }
        Path trustFile = write(directory.resolve(file + "-trust.pem"), trust.toString());
        String prefix = "spring.ssl.bundle.pem.rdma.";
        return new String[] {
            prefix + "keystore.certificate=" + directory.resolve(file + ".crt").toUri(),
            prefix + "keystore.private-key=" + directory.resolve(file + ".key").toUri(),
            prefix + "truststore.certificate=" + trustFile.toUri(),
            "rdma.security.ssl.bundle=rdma"
        };
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n";
    }

    /** At once: nobody reads half of it. */
    private static Path write(Path file, String text) throws IOException {
        Path fresh =
                Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text, StandardCharsets.US_ASCII);
        return Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void keytool(Path store, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError("keytool failed: " + command);
        }
    }
}
