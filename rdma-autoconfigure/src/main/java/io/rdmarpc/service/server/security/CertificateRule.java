package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.springframework.util.Assert;

/**
 * A rule that matches peers by their certificate.
 *
 * <pre>
 *   *                        any peer with a trusted certificate
 *   CN=billing               the common name of its subject
 *   CN=billing,O=Example     its whole subject
 *   dns:*.example.com        a name in its subject alternative names; also ip:, uri: and email:
 * </pre>
 *
 * A star in an alternative name matches any characters except a dot, or in a URI except a slash. Matching ignores
 * case. In a URI it ignores case only as in RFC 3986, section 6.2.2.1: in the scheme, the host and percent-encoded
 * digits.
 */
final class CertificateRule {

    private static final int EMAIL = 1;
    private static final int DNS = 2;
    private static final int URI = 6;
    private static final int IP = 7;

    private static final String URI_STAR = "[^/]*";
    private static final Pattern PERCENT = Pattern.compile("%[0-9a-fA-F]{2}");
    /** The user part ends at the last at sign of the authority. */
    private static final Pattern URI_PARTS = Pattern.compile(
            "(?<scheme>(?:[^:/?#]+:)?)(?<authority>//(?<user>(?:[^/?#]*@)?)(?<host>[^/?#]*))?(?<rest>.*)");

    private final String text;
    private final int nameType;
    private final Pattern name;

    private CertificateRule(String text, int nameType, Pattern name) {
        this.text = text;
        this.nameType = nameType;
        this.name = name;
    }

    /** Parses a rule. */
    static CertificateRule parse(String rule) {
        String text = rule.strip();
        Assert.hasText(text, "a rule for peers must not be empty: use * for any peer with a trusted certificate");
        int colon = text.indexOf(':');
        int type = colon < 0 ? 0 : nameType(text.substring(0, colon));
        if (type != 0) {
            String wanted = text.substring(colon + 1);
            return new CertificateRule(text, type, type == URI ? uri(wanted) : glob(wanted, "[^.]*"));
        }
        if (!text.equals("*")) {
            requireName(text);
        }
        return new CertificateRule(text, 0, glob(text, ""));
    }

    private static int nameType(String prefix) {
        return switch (prefix.toLowerCase(Locale.ROOT)) {
            case "dns" -> DNS;
            case "ip" -> IP;
            case "uri" -> URI;
            case "email" -> EMAIL;
            default -> 0;
        };
    }

    private static void requireName(String text) {
        try {
            var _ = new X500Principal(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is not a rule for peers: use CN=name, a whole subject, dns:, ip:, uri:, email: or *",
                    e);
        }
    }

    private static Pattern glob(String text, String star) {
        return Pattern.compile(regex(text, star), Pattern.CASE_INSENSITIVE);
    }

    private static String regex(String text, String star) {
        return List.of(text.split("\\*", -1)).stream().map(Pattern::quote).collect(Collectors.joining(star));
    }

    private static Pattern uri(String text) {
        Matcher parts = URI_PARTS.matcher(withUpperCaseHex(text));
        Assert.isTrue(parts.matches(), "the pattern matches every text");
        String authority = parts.group("authority") == null
                ? ""
                : "//" + regex(parts.group("user"), URI_STAR) + anyCase(parts.group("host"));
        return Pattern.compile(anyCase(parts.group("scheme")) + authority + regex(parts.group("rest"), URI_STAR));
    }

    private static String anyCase(String text) {
        return "(?i:" + regex(text, URI_STAR) + ")";
    }

    private static String withUpperCaseHex(String uri) {
        return PERCENT.matcher(uri).replaceAll(digits -> digits.group().toUpperCase(Locale.ROOT));
    }

    boolean matches(PeerIdentity peer) {
        if (peer.certificates().isEmpty() || !(peer.certificates().getFirst() instanceof X509Certificate own)) {
            return false;
        }
        if (nameType != 0) {
            return hasName(own);
        }
        return text.equals("*") || isSubject(own.getSubjectX500Principal());
    }

    private boolean hasName(X509Certificate own) {
        try {
            Collection<List<?>> names = own.getSubjectAlternativeNames();
            return names != null
                    && names.stream()
                            .anyMatch(each -> each.get(0).equals(nameType)
                                    && name.matcher(comparable(String.valueOf(each.get(1))))
                                            .matches());
        } catch (CertificateParsingException e) {
            return false;
        }
    }

    private String comparable(String found) {
        return nameType == URI ? withUpperCaseHex(found) : found;
    }

    private boolean isSubject(X500Principal subject) {
        return subject.equals(new X500Principal(text)) || (text.indexOf(',') < 0 && isCommonName(subject));
    }

    private boolean isCommonName(X500Principal subject) {
        try {
            return new LdapName(subject.getName())
                    .getRdns().stream()
                            .filter(rdn -> rdn.size() == 1 && rdn.getType().equalsIgnoreCase("CN"))
                            .anyMatch(rdn -> text.equalsIgnoreCase("CN=" + Rdn.escapeValue(rdn.getValue())));
        } catch (InvalidNameException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
