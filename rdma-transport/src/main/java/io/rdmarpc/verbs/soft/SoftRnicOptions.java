package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.fault.FaultScript;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.shm.SharedMemoryOptions;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the software RNIC.
 *
 * @param addresses the local IP addresses in the order of the GID table; empty for all addresses of interfaces that are
 * up
 * @param port the UDP port of all addresses, 0 for any free port
 * @param portChosen whether the port is configured, so that no other port may be used instead
 * @param sharedMemory settings of shared memory with peers on this host
 * @param faults faults to inject into sent packets, for developers and tests; any fault disables shared memory
 * @param pcap the file for a dump of all packets, or null; a dump disables shared memory
 * @param progress which threads run the RNIC
 * @param spinNanos how long a waiting thread polls for packets before it sleeps, in nanoseconds
 */
public record SoftRnicOptions(
        List<InetAddress> addresses,
        int port,
        boolean portChosen,
        SharedMemoryOptions sharedMemory,
        LinkFaults faults,
        @Nullable Path pcap,
        ProgressMode progress,
        long spinNanos) {

    /**
     * Option: local IP addresses, separated by commas; a link-local address needs its interface: {@code fe80::1%eth0}.
     */
    public static final String ADDRESSES = LocalGidTable.SETTING;

    /** Option: UDP port, 0 for any free port. */
    public static final String PORT = "soft.port";

    /** Option: whether the RNIC uses shared memory to reach peers on this host, true or false. */
    public static final String SHARED_MEMORY = "soft.shared-memory.enabled";

    /** Option: bytes of the ring for one direction between two processes of this host, a power of two. */
    public static final String RING_SIZE = "soft.shared-memory.ring-size";

    /** Option: maximum bytes of all rings that peers use to send to this process. */
    public static final String MAX_INBOUND_SIZE = "soft.shared-memory.max-inbound-size";

    /** Option: which threads run the RNIC, {@code thread} or {@code owner}. */
    public static final String PROGRESS = "soft.progress";

    /** Option: how long a waiting thread polls for packets before it sleeps, in microseconds. */
    public static final String SPIN_MICROS = "soft.spin-micros";

    /** Option: fraction of sent packets to drop, 0 to 1. */
    public static final String LOSS = "soft.faults.loss";

    /** Option: fraction of sent packets to send twice, 0 to 1. */
    public static final String DUPLICATE = "soft.faults.duplicate";

    /** Option: fraction of sent packets that later ones overtake, 0 to 1. */
    public static final String REORDER = "soft.faults.reorder";

    /** Option: fraction of sent packets to delay, 0 to 1. */
    public static final String DELAY = "soft.faults.delay";

    /** Option: how long delayed packets wait, such as {@code 500us} or {@code 2ms}, at most one minute. */
    public static final String DELAY_DURATION = "soft.faults.delay-duration";

    /** Option: fraction of sent packets in which to flip a bit, 0 to 1. */
    public static final String CORRUPT = "soft.faults.corrupt";

    /** Option: seed of the random choice of packets. */
    public static final String SEED = "soft.faults.seed";

    /** Option: faults of particular sent packets, such as {@code drop 3 ACK; delay 2 SEND 5ms}. */
    public static final String SCRIPT = "soft.faults.script";

    /** Option: maximum send rate, in bits per second of UDP payload, such as {@code 100Mbit}. */
    public static final String BANDWIDTH = "soft.faults.bandwidth";

    /**
     * Option: file to write all packets to, for Wireshark; {@code %p} in the name is replaced by the process
     * identifier.
     */
    public static final String PCAP = "soft.pcap";

    private static final String PREFIX = "soft.";
    private static final Set<String> KEYS = new TreeSet<>(Set.of(
            ADDRESSES,
            PORT,
            SHARED_MEMORY,
            RING_SIZE,
            MAX_INBOUND_SIZE,
            PROGRESS,
            SPIN_MICROS,
            LOSS,
            DUPLICATE,
            REORDER,
            DELAY,
            DELAY_DURATION,
            CORRUPT,
            SEED,
            SCRIPT,
            BANDWIDTH,
            PCAP));

    private static final Pattern DOTTED_QUAD = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern BITS_PER_SECOND =
            Pattern.compile("(\\d{1,9})([kmg]|)bit(?:/s)?", Pattern.CASE_INSENSITIVE);
    private static final long SLOWEST_BITS = 8_000;
    private static final int LARGEST_PORT = 0xFFFF;
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s)");
    private static final long LONGEST_DELAY_NANOS = 60_000_000_000L;
    private static final long DEFAULT_SPIN_MICROS = 20;
    private static final long LONGEST_SPIN_MICROS = 1_000_000;
    private static final long NANOS_PER_MICRO = 1000;

    /**
     * Copies the addresses.
     *
     * @param addresses the local IP addresses
     * @param port the UDP port
     * @param portChosen whether the port is configured
     * @param sharedMemory settings of shared memory with peers on this host
     * @param faults faults to inject
     * @param pcap the file of the packet dump, or null
     * @param progress which threads run the RNIC
     * @param spinNanos how long a waiting thread polls before it sleeps, in nanoseconds
     */
    public SoftRnicOptions {
        addresses = List.copyOf(addresses);
    }

    /**
     * Parses options.
     *
     * @param options by name; names without the prefix {@code soft.} are ignored
     * @return the settings, with defaults for absent options
     * @throws RdmaConfigurationException if a value is invalid or a name is unknown
     */
    public static SoftRnicOptions parse(Map<String, String> options) {
        rejectUnknownNames(options);
        String port = options.get(PORT);
        return new SoftRnicOptions(
                addresses(options.get(ADDRESSES)),
                port == null ? LinkAddress.ROCE_PORT : (int) number(PORT, port, 0, LARGEST_PORT),
                port != null,
                sharedMemory(options),
                faults(options),
                pcap(options.get(PCAP)),
                progress(options.getOrDefault(PROGRESS, "thread")),
                number(SPIN_MICROS, options, DEFAULT_SPIN_MICROS, LONGEST_SPIN_MICROS) * NANOS_PER_MICRO);
    }

    private static ProgressMode progress(String text) {
        return switch (text.strip()) {
            case "thread" -> ProgressMode.THREAD;
            case "owner" -> ProgressMode.OWNER;
            default ->
                throw new RdmaConfigurationException(
                        PROGRESS,
                        text,
                        "it is neither thread nor owner",
                        "Use owner if your own thread polls all the time, or leave it out");
        };
    }

    private static SharedMemoryOptions sharedMemory(Map<String, String> options) {
        int ringBytes = (int) number(
                RING_SIZE,
                options.getOrDefault(RING_SIZE, Integer.toString(SharedMemoryOptions.DEFAULT_RING_BYTES)),
                SharedMemoryOptions.SMALLEST_RING_BYTES,
                SharedMemoryOptions.LARGEST_RING_BYTES);
        if (Integer.bitCount(ringBytes) != 1) {
            throw new RdmaConfigurationException(
                    RING_SIZE,
                    Integer.toString(ringBytes),
                    "it is not a power of two",
                    "Use a power of two such as " + SharedMemoryOptions.DEFAULT_RING_BYTES + ", or leave it out");
        }
        return new SharedMemoryOptions(
                isTrue(SHARED_MEMORY, options.getOrDefault(SHARED_MEMORY, "true")),
                ringBytes,
                number(
                        MAX_INBOUND_SIZE,
                        options.getOrDefault(
                                MAX_INBOUND_SIZE, Long.toString(SharedMemoryOptions.inboundBytesFor(ringBytes))),
                        SharedMemoryOptions.SMALLEST_INBOUND_BYTES,
                        SharedMemoryOptions.LARGEST_INBOUND_BYTES));
    }

    private static boolean isTrue(String key, String text) {
        return switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new RdmaConfigurationException(
                        key, text, "it is neither true nor false", "Use true or false, or leave it out");
        };
    }

    private static void rejectUnknownNames(Map<String, String> options) {
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (option.getKey().startsWith(PREFIX) && !KEYS.contains(option.getKey())) {
                throw new RdmaConfigurationException(
                        option.getKey(),
                        option.getValue(),
                        "the software RNIC has no such option",
                        "Remove it, or use one of rdma." + String.join(", rdma.", KEYS));
            }
        }
    }

    private static List<InetAddress> addresses(@Nullable String text) {
        List<InetAddress> addresses = new ArrayList<>();
        if (text != null) {
            for (String part : text.split(",", -1)) {
                addresses.add(address(text, part.strip()));
            }
        }
        return addresses;
    }

    private static InetAddress address(String all, String text) {
        try {
            if (text.contains(":") || DOTTED_QUAD.matcher(text).matches()) {
                return InetAddress.ofLiteral(text);
            }
        } catch (IllegalArgumentException e) {
            // The exception below reports it: a number that is too large, or an interface that does not exist.
        }
        throw new RdmaConfigurationException(
                ADDRESSES,
                all,
                "\"" + text + "\" is not an IP address",
                "Use addresses of this host's interfaces such as 127.0.0.1 or ::1, separated by commas, or leave it"
                        + " out to use all addresses");
    }

    private static @Nullable Path pcap(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        try {
            String process = Long.toString(ProcessHandle.current().pid());
            return Path.of(text.strip().replace("%p", process));
        } catch (InvalidPathException e) {
            throw new RdmaConfigurationException(
                    PCAP, text, "it is not a file name: " + e.getMessage(), "Use a file name such as rdma.pcap");
        }
    }

    private static LinkFaults faults(Map<String, String> options) {
        return new LinkFaults(
                probability(LOSS, options),
                probability(DUPLICATE, options),
                probability(REORDER, options),
                probability(DELAY, options),
                probability(CORRUPT, options),
                delayNanos(options.get(DELAY_DURATION)),
                number(SEED, options, 1, Long.MAX_VALUE),
                FaultScript.parse(SCRIPT, options.getOrDefault(SCRIPT, "")),
                bandwidth(options.get(BANDWIDTH)));
    }

    private static long delayNanos(@Nullable String text) {
        if (text == null) {
            return LinkFaults.DEFAULT_DELAY_NANOS;
        }
        Matcher matcher = TIME.matcher(text.strip());
        if (matcher.matches()) {
            long nanos = unit(matcher.group(2)).toNanos(Long.parseLong(matcher.group(1)));
            if (nanos <= LONGEST_DELAY_NANOS) {
                return nanos;
            }
        }
        throw new RdmaConfigurationException(
                DELAY_DURATION,
                text,
                "it is not a duration from 0 to 1 minute",
                "Use a duration such as 500us, 2ms or 1s");
    }

    private static TimeUnit unit(String word) {
        return switch (word) {
            case "us" -> TimeUnit.MICROSECONDS;
            case "ms" -> TimeUnit.MILLISECONDS;
            default -> TimeUnit.SECONDS;
        };
    }

    /** Parses a number of bits per second; returns bytes per second, 0 if there is no limit. */
    private static long bandwidth(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return 0;
        }
        Matcher matcher = BITS_PER_SECOND.matcher(text.strip());
        if (matcher.matches()) {
            long bits = Long.parseLong(matcher.group(1)) * factor(matcher.group(2));
            if (bits >= SLOWEST_BITS) {
                return bits / Byte.SIZE;
            }
        }
        throw new RdmaConfigurationException(
                BANDWIDTH,
                text,
                "it is not a number of bits per second of at least 8kbit",
                "Use a rate such as 500kbit, 100Mbit or 10Gbit, or leave it out");
    }

    private static long factor(String letter) {
        return switch (letter.toLowerCase(Locale.ROOT)) {
            case "k" -> 1_000;
            case "m" -> 1_000_000;
            case "g" -> 1_000_000_000;
            default -> 1;
        };
    }

    private static long number(String key, Map<String, String> options, long fallback, long max) {
        String text = options.get(key);
        return text == null ? fallback : number(key, text, 0, max);
    }

    private static long number(String key, String text, long min, long max) {
        try {
            long value = Long.parseLong(text.strip());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new RdmaConfigurationException(
                key,
                text,
                "it is not a whole number from " + min + " to " + max,
                "Use a number in this range, or leave it out");
    }

    private static double probability(String key, Map<String, String> options) {
        String text = options.get(key);
        if (text == null) {
            return 0;
        }
        try {
            double value = Double.parseDouble(text.strip());
            if (value >= 0 && value <= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new RdmaConfigurationException(
                key,
                text,
                "it is not a probability",
                "Use a number from 0 to 1, such as 0.01 for one packet in a hundred");
    }
}
