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
 * How the software RNIC is set up.
 *
 * @param addresses own IP addresses in the order of the GID table; empty for all of the interfaces that are up
 * @param port the UDP port of all addresses, 0 for any
 * @param portChosen whether the port was asked for: then no other is taken instead
 * @param sharedMemory how peers on this host are reached
 * @param faults what happens to packets that are sent, for developers and tests; with any, all peers are reached by UDP
 * @param pcap where all packets are written to, or null; with it all peers are reached by UDP
 * @param progress who moves it on
 * @param spinNanos how long whoever waits looks for packets before it sleeps
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

    /** Option: own IP addresses, separated by commas; a link-local one with its interface, such as {@code fe80::1%eth0}. */
    public static final String ADDRESSES = LocalGidTable.SETTING;

    /** Option: UDP port, 0 for any. */
    public static final String PORT = "soft.port";

    /** Option: whether peers on this host are reached through shared memory, true or false. */
    public static final String SHARED_MEMORY = "soft.shared-memory.enabled";

    /** Option: how many bytes one direction between two processes of this host may hold, a power of two. */
    public static final String RING_SIZE = "soft.shared-memory.ring-size";

    /** Option: how many bytes all rings of peers may have, in which they send here. */
    public static final String MAX_INBOUND_SIZE = "soft.shared-memory.max-inbound-size";

    /** Option: who moves the RNIC on, {@code thread} or {@code owner}. */
    public static final String PROGRESS = "soft.progress";

    /** Option: how long whoever waits looks for packets before it sleeps, in microseconds. */
    public static final String SPIN_MICROS = "soft.spin-micros";

    /** Option: share of sent packets to lose, 0 to 1. */
    public static final String LOSS = "soft.faults.loss";

    /** Option: share of sent packets to send twice, 0 to 1. */
    public static final String DUPLICATE = "soft.faults.duplicate";

    /** Option: share of sent packets that later ones overtake, 0 to 1. */
    public static final String REORDER = "soft.faults.reorder";

    /** Option: share of sent packets to delay, 0 to 1. */
    public static final String DELAY = "soft.faults.delay";

    /** Option: how long delayed packets wait, such as {@code 500us} or {@code 2ms}, up to a minute. */
    public static final String DELAY_DURATION = "soft.faults.delay-duration";

    /** Option: share of sent packets to change a bit of, 0 to 1. */
    public static final String CORRUPT = "soft.faults.corrupt";

    /** Option: the number that decides which packets are hit. */
    public static final String SEED = "soft.faults.seed";

    /** Option: what happens to certain sent packets, such as {@code drop 3 ACK; delay 2 SEND 5ms}. */
    public static final String SCRIPT = "soft.faults.script";

    /** Option: how much may be sent, in bits per second of UDP payload, such as {@code 100Mbit}. */
    public static final String BANDWIDTH = "soft.faults.bandwidth";

    /** Option: file to write all packets to, for Wireshark; {@code %p} in it stands for the process identifier. */
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
     * @param addresses own addresses
     * @param port the UDP port
     * @param portChosen whether the port was asked for
     * @param sharedMemory how peers on this host are reached
     * @param faults faults to make
     * @param pcap file of the packet dump
     * @param progress who moves it on
     * @param spinNanos how long to look before sleeping
     */
    public SoftRnicOptions {
        addresses = List.copyOf(addresses);
    }

    /**
     * Reads options.
     *
     * @param options by name; names without the prefix {@code soft.} are ignored
     * @return the options, defaults where nothing is given
     * @throws RdmaConfigurationException when a value cannot be used, or a name is unknown
     */
    public static SoftRnicOptions parse(Map<String, String> options) {
        refuseUnknownNames(options);
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
                        "Use owner when a thread of yours polls all the time, or leave it out");
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
                    "Use one such as " + SharedMemoryOptions.DEFAULT_RING_BYTES + ", or leave it out");
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
                        key, text, "it is neither true nor false", "Use one of these, or leave it out");
        };
    }

    private static void refuseUnknownNames(Map<String, String> options) {
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (option.getKey().startsWith(PREFIX) && !KEYS.contains(option.getKey())) {
                throw new RdmaConfigurationException(
                        option.getKey(),
                        option.getValue(),
                        "the software RNIC has no such option",
                        "Remove it or use one of rdma." + String.join(", rdma.", KEYS));
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
            // Reported below: a number too large, or an interface that does not exist.
        }
        throw new RdmaConfigurationException(
                ADDRESSES,
                all,
                "\"" + text + "\" is not an IP address",
                "Use addresses of this host's interfaces such as 127.0.0.1 or ::1, separated by commas, or leave it"
                        + " out to take all");
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
                    PCAP, text, "it is not a file name: " + e.getMessage(), "Use one such as rdma.pcap");
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
                DELAY_DURATION, text, "it is not a time from 0 to a minute", "Use one such as 500us, 2ms or 1s");
    }

    private static TimeUnit unit(String word) {
        return switch (word) {
            case "us" -> TimeUnit.MICROSECONDS;
            case "ms" -> TimeUnit.MILLISECONDS;
            default -> TimeUnit.SECONDS;
        };
    }

    /** Reads a number of bits per second; returns bytes per second, 0 for no limit. */
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
                "it is not a number of bits per second from 8kbit on",
                "Use one such as 500kbit, 100Mbit or 10Gbit, or leave it out");
    }

    private static long factor(String letter) {
        return switch (letter.toLowerCase(Locale.ROOT)) {
            case "k" -> 1_000;
            case "m" -> 1_000_000;
            case "g" -> 1_000_000_000;
            default -> 1;
        };
    }

    private static long number(String key, Map<String, String> options, long fallback, long most) {
        String text = options.get(key);
        return text == null ? fallback : number(key, text, 0, most);
    }

    private static long number(String key, String text, long least, long most) {
        try {
            long value = Long.parseLong(text.strip());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new RdmaConfigurationException(
                key, text, "it is not a whole number from " + least + " to " + most, "Use one, or leave it out");
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
