package io.rdmarpc.docs;

import io.rdmarpc.docs.TestReports.Member;
import io.rdmarpc.docs.TestReports.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the conformance page: which test shows what, on which provider, in which tier, and its last result. Display names
 * of tests carry the ids that they show. Results come from the reports that are there.
 *
 * <pre>
 *   java rdma-transport/src/test/java/io/rdmarpc/docs/ConformancePage.java target/conformance.md
 * </pre>
 */
public final class ConformancePage {

    private static final Pattern NAME = Pattern.compile(
            "@DisplayName\\(\\s*(\"(?:[^\"\\\\]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\]|\\\\.)*\")*)\\s*\\)");
    private static final Pattern ID = Pattern.compile("\\b(?:CP|SM|LG|LO|FC|LT|OS|FL|ME)-\\d\\d\\b");
    /** What a display name stands before: a class, or a method. */
    private static final Pattern NAMED = Pattern.compile("\\bclass\\s+(\\w+)|\\bvoid\\s+(\\w+)\\s*\\(");

    private static final Pattern TAG = Pattern.compile("@Tag\\(\"([a-z-]+)\"\\)");

    /** A constant of an enumeration inside a class, with its number of calls. */
    private static final Pattern NETWORK = Pattern.compile("^ {8}([A-Z_]+)\\(\\s*\\d", Pattern.MULTILINE);

    private static final String LIST = """
            CP-01 16 engines in 16 threads
            CP-02 handshake: from hello to a live session
            CP-03 sessions come and go, nothing stays
            CP-04 the session limit is a rejection with a code
            CP-05 an unknown service or engine is rejected in one round trip
            CP-06 a way that cannot be resolved, on either side
            CP-07 a repeated connect request makes one session
            CP-08 late and repeated answers of the handshake are ignored
            CP-09 a rejection reaches the client, resources are freed
            CP-10 another transport or version is rejected in words
            CP-11 exhaustion while connecting leaks nothing
            CP-12 ending twice is ending once
            CP-13 a session with oneself
            CP-14 an end with calls outstanding fails them
            CP-15 the connect deadline is kept
            CP-16 handshake fuzz at every state, both roles
            CP-17 byte baselines of the wire format
            CP-18 without a device the software RNIC is used
            CP-19 switched off altogether
            CP-20 options that make no sense are rejected
            SM-01 one echo
            SM-02 a long row of calls
            SM-03 64 at a time over a window of 8
            SM-04 several sessions
            SM-05 empty requests and answers
            SM-06 requests that share memory
            SM-07 inline, a packet, one byte more
            SM-08 nested calls
            SM-09 calls from handlers of results, 1000 deep
            SM-10 nested calls from the engine's thread, from a worker, from both
            SM-11 an answer after the client's timeout
            SM-12 several processes
            LG-01 large requests
            LG-02 large answers
            LG-03 large nested calls
            LG-04 one, many of a session, many sessions
            LG-05 one byte on either side of the border
            LG-06 the largest message, and one byte more
            LG-07 an answer larger than the caller takes
            LG-08 more READs than the budget
            LG-09 a region out of bounds or revoked
            LG-10 vectored buffers
            LG-11 no leak after many
            LG-12 a bad address costs its session only
            LO-01 loss: one small call
            LO-02 loss: many small calls
            LO-03 loss: one large call
            LO-04 loss: many large calls
            LO-05 the table of the server's slot
            LO-06 the table of the client's slot
            LO-07 one READ for repeated large control messages
            LO-08 a slot's memory and work requests that refer to it
            LO-09 a READ that ends after its call
            LO-10 loss of each kind of packet
            LO-11 release of large answers
            LO-12 garbage costs no ring entry and stalls nobody
            LO-13 time: each deadline and retransmission is seen
            FC-01 no credits: waiting, no loss
            FC-02 a full backlog is back-pressure
            FC-03 a full send queue is back-pressure
            FC-04 own send queue and peer's window are two things
            FC-05 both directions at once do not stop each other
            FC-06 ring entries come back in any order
            FC-07 indexes and rings that come round
            FC-08 sessions and their credits fit the receive ring
            LT-01 cancel at each moment
            LT-02 some of 64 are cancelled, the rest is right
            LT-03 a result that nobody wants frees its slot
            LT-04 cancelled one-sided operations
            LT-05 use after close is an exception
            LT-06 the allocators
            LT-07 revoked leases fail at the NIC
            LT-08 leases by a monotonic clock
            LT-09 access rights
            LT-10 bounds of slices
            LT-11 the order of closing
            LT-12 start and stop leave nothing
            OS-01 reads and writes
            OS-02 immediate data
            OS-03 atomics
            OS-04 more than a queue or a list of entries holds
            FL-01 the server is killed
            FL-02 it comes back
            FL-03 calls in flight fail fast
            FL-04 a handler throws
            FL-05 an unknown method
            FL-06 deadlines travel
            FL-07 load shedding
            FL-08 fail-over to another address
            FL-09 asynchronous events
            FL-10 a completion queue overruns
            FL-11 a queue pair in error costs its session only
            FL-12 rejected, unreachable, too late
            FL-13 no lost wake-up
            FL-14 a failed receive amid a batch
            FL-15 drain before the end
            FL-16 a fatal event without completions
            FL-17 a missed event is found by asking
            FL-18 details of a failure
            ME-01 each drop reason is counted
            ME-02 packets, bytes, calls, READs are counted
            ME-03 health
            """;

    /** Tests of what an id asks for that do not carry it, and ids that ask for what is not there. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry(
                    "LG-10",
                    "does not apply: a message is one buffer; scatter-gather lists are tested in `ScatterGatherCases`"),
            Map.entry(
                    "LT-06",
                    "`BuddyAllocatorTest`, `BuddyArenaTest`, `SlabPoolTest`, `LendingPoolTest`, `MemoryBudgetTest`,"
                            + " `HugePagesTest`"),
            Map.entry("OS-04", "`BadRequestCases`, `ScatterGatherCases`"));

    /**
     * A test that shows something.
     *
     * @param file where it is
     * @param className the file's class
     * @param member the method, or the class in it whose tests show it together; the file's class for all of them
     * @param words of its name
     * @param tag of the member itself, or "" for the tag of its class
     */
    record Shown(Path file, String className, Member member, String words, String tag) {

        /** Where it runs, and as what. */
        List<Place> places() throws IOException {
            if (isEngineCase(simpleName())) {
                return List.of(
                        place("soft/shm", "SoftEngineTest", "SHARED_MEMORY"),
                        place("soft/UDP", "SoftEngineTest", "UDP"),
                        place("soft/shm with faults", "SoftEngineTest", "FAULTY_SHARED_MEMORY"),
                        place("soft/UDP with faults", "SoftEngineTest", "FAULTY_UDP"),
                        new Place("rxe", sibling("EngineDeviceTest"), Place.ANY));
            }
            if (simpleName().equals("RemoteProcessCases")) {
                return List.of(
                        new Place("soft/shm", sibling("TwoProcessesTest"), 1),
                        new Place("soft/UDP", sibling("TwoProcessesTest"), 2),
                        new Place("rxe", sibling("RemoteMemoryDeviceTest"), Place.ANY));
            }
            if (isMemoryCase(simpleName())) {
                return List.of(
                        place("soft/shm", "SoftRemoteMemoryTest", "SHARED_MEMORY"),
                        place("soft/UDP", "SoftRemoteMemoryTest", "UDP"),
                        place("soft/UDP with faults", "SoftRemoteMemoryTest", "FAULTY_UDP"),
                        new Place("rxe", sibling("RemoteMemoryDeviceTest"), Place.ANY));
            }
            return List.of(new Place(providers(), className, Place.ANY));
        }

        /** Reports number the networks that a class runs on as it lists them. */
        private Place place(String place, String runner, String network) throws IOException {
            List<String> networks = NETWORK.matcher(Files.readString(file.resolveSibling(runner + ".java")))
                    .results()
                    .map(constant -> constant.group(1))
                    .toList();
            if (!networks.contains(network)) {
                throw new IllegalStateException(runner + " does not run on " + network + " but on " + networks);
            }
            return new Place(place, sibling(runner), networks.indexOf(network) + 1);
        }

        /** The tiers of {@code mvn verify} and its profiles in which it runs, or the VM. */
        String tiers() throws IOException {
            List<String> tiers = new ArrayList<>();
            for (Place place : places()) {
                String tier = tag.isEmpty() ? tagOfClass(place.className()) : tag;
                tiers.add(tier.isEmpty() ? "fast" : tier.equals("rdma-device") ? "VM" : tier);
            }
            return tiers.stream().distinct().collect(Collectors.joining(", "));
        }

        private String tagOfClass(String name) throws IOException {
            String simpleName = name.substring(name.lastIndexOf('.') + 1);
            String source = Files.readString(file.resolveSibling(simpleName + ".java"));
            Matcher declaration =
                    Pattern.compile("\\bclass " + simpleName + "\\b").matcher(source);
            if (!declaration.find()) {
                throw new IllegalStateException(file + " has a neighbour without a class " + simpleName);
            }
            return ConformancePage.tag(
                    source.substring(Math.max(0, source.lastIndexOf("\nimport ")), declaration.start()));
        }

        private String sibling(String name) {
            return className.replace("." + simpleName(), "." + name);
        }

        String simpleName() {
            return className.substring(className.lastIndexOf('.') + 1);
        }

        /** Of tests that do not name their link both ends are of one host, and find each other by shared memory. */
        private String ofRuntimes() throws IOException {
            if (simpleName().equals("LossTest")) {
                return "soft/shm and soft/UDP, with faults";
            }
            String source = Files.readString(file);
            if (source.contains("SoftLink link") || source.contains("SoftLink.class")) {
                return "soft/shm and soft/UDP";
            }
            return source.contains("SoftLink.UDP") ? "soft/UDP" : "soft/shm";
        }

        /** What it runs on. */
        String providers() throws IOException {
            String path = file.toString();
            if (isEngineCase(simpleName())) {
                return "soft/shm and soft/UDP, both with faults too; rxe";
            }
            if (simpleName().equals("RemoteProcessCases")) {
                return "soft/shm and soft/UDP; rxe";
            }
            if (isMemoryCase(simpleName())) {
                return "soft/shm and soft/UDP, the latter with faults too; rxe";
            }
            if (simpleName().endsWith("DeviceTest")) {
                return "rxe";
            }
            if (simpleName().equals("SimulationTest")) {
                return "soft in memory, with faults";
            }
            if (simpleName().equals("SoakTest")) {
                return "soft/UDP with faults, 5 processes";
            }
            if (path.contains("rpc/engine/")) {
                return "fake NIC";
            }
            if (path.contains("rpc/runtime/") || path.contains("rdma-autoconfigure")) {
                return ofRuntimes();
            }
            if (path.contains("verbs/soft") || path.contains("verbs/suite")) {
                return "soft";
            }
            return "no NIC";
        }
    }

    private final Map<String, List<Shown>> shown = new TreeMap<>();
    private final TestReports reports;

    private ConformancePage(Path root) throws IOException {
        for (Path source : files(root, ".java", path -> path.contains("src/test/java"))) {
            scan(source);
        }
        reports = TestReports.below(root);
    }

    /**
     * Writes the page.
     *
     * @param args the file to write; to be run in the root of the repository
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            System.err.println("usage: ConformancePage FILE");
            System.exit(2);
        }
        Path page = Path.of(args[0]).toAbsolutePath();
        Files.createDirectories(page.getParent());
        Files.writeString(page, of(Path.of("")));
    }

    /** Makes the page of a repository. */
    static String of(Path root) throws IOException {
        return new ConformancePage(root).page();
    }

    static List<Path> files(Path root, String suffix, Function<String, Boolean> wanted) throws IOException {
        try (Stream<Path> all = Files.walk(root.toAbsolutePath())) {
            return all.filter(path -> path.toString().endsWith(suffix) && wanted.apply(path.toString()))
                    .sorted()
                    .toList();
        }
    }

    private void scan(Path file) throws IOException {
        String source = Files.readString(file);
        Matcher name = NAME.matcher(source);
        while (name.find()) {
            String words = name.group(1).replaceAll("\"\\s*\\+\\s*\"", "").replaceAll("^\"|\"$", "");
            Matcher named = NAMED.matcher(source);
            if (named.find(name.end())) {
                String annotations = source.substring(endOfMemberBefore(source, name.start()), named.start());
                add(file, new Member(named.group(1), named.group(2)), words, tag(annotations));
            }
        }
    }

    private static int endOfMemberBefore(String source, int position) {
        return Stream.of("\n\n", "{\n", "}\n")
                .mapToInt(end -> source.lastIndexOf(end, position))
                .reduce(0, Math::max);
    }

    /** The tag among the annotations of a class or a method, or "". */
    private static String tag(String annotations) {
        Matcher tag = TAG.matcher(annotations);
        return tag.find() ? tag.group(1) : "";
    }

    private void add(Path file, Member member, String words, String tag) {
        String path = file.toString();
        String inside = path.substring(path.indexOf("src/test/java/") + "src/test/java/".length());
        String className = inside.replace(".java", "").replace('/', '.');
        Matcher id = ID.matcher(words);
        String text = words.replaceAll("(?:[A-Z]{2}-\\d\\d[:, ]*)+", "").strip();
        while (id.find()) {
            shown.computeIfAbsent(id.group(), key -> new ArrayList<>())
                    .add(new Shown(file, className, member, text, tag));
        }
    }

    /** How a test went in the reports at hand: one word, or one for each place when they differ. */
    private String result(Shown test) throws IOException {
        Map<String, List<String>> places = new LinkedHashMap<>();
        for (Place place : test.places()) {
            places.computeIfAbsent(reports.outcome(place, test.member()), key -> new ArrayList<>())
                    .add(place.words());
        }
        if (places.size() == 1) {
            return places.keySet().iterator().next();
        }
        return places.entrySet().stream()
                .map(outcome -> outcome.getKey() + ": " + String.join(", ", outcome.getValue()))
                .collect(Collectors.joining("; "));
    }

    private static boolean isEngineCase(String simpleName) {
        return simpleName.startsWith("Engine") && simpleName.endsWith("Cases");
    }

    private static boolean isMemoryCase(String simpleName) {
        return simpleName.startsWith("Remote") && simpleName.endsWith("Cases");
    }

    private String page() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Conformance

                What the engine has to show, and the tests that show it. Each test carries the ids in its display name.
                docs/reference/conformance.md explains how this page is made and what its columns mean.

                | Id | Test | Runs on | Tier | Result |
                |---|---|---|---|---|
                """);
        for (String line : LIST.lines().toList()) {
            append(page, line.substring(0, 5), line.substring(6));
        }
        return page.toString();
    }

    private void append(StringBuilder page, String id, String what) throws IOException {
        row(page, "**" + id + "**", "**" + what + "**", "", "", "");
        List<Shown> tests = shown.getOrDefault(id, List.of());
        for (Shown test : tests) {
            String name = "`" + test.simpleName() + "` " + test.words().replace("|", "\\|");
            row(page, "", name, test.providers(), test.tiers(), result(test));
        }
        if (tests.isEmpty()) {
            row(page, "", ELSEWHERE.getOrDefault(id, "**no test yet**"), "", "", "");
        }
    }

    private static void row(StringBuilder page, String... columns) {
        for (String column : columns) {
            page.append(column.isEmpty() ? "| " : "| " + column + " ");
        }
        page.append("|\n");
    }

    /** Ids without a test and without a reason. */
    static List<String> missing(Path root) throws IOException {
        ConformancePage page = new ConformancePage(root);
        return LIST.lines()
                .map(line -> line.substring(0, 5))
                .filter(id -> !page.shown.containsKey(id) && !ELSEWHERE.containsKey(id))
                .toList();
    }
}
