package io.rdmarpc.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How tests went, from Surefire's reports: of this host in {@code surefire-reports}, of the VM with the devices in
 * {@code rxe-reports}.
 */
final class TestReports {

    private static final Pattern CASE = Pattern.compile(
            "<testcase name=\"([^\"]*)\" classname=\"([^\"]*)\"[^>]*?(/>|>.*?</testcase>)", Pattern.DOTALL);
    private static final Pattern INVOCATION = Pattern.compile("\\[(\\d+)]");
    private static final String NONE = "no report";

    /**
     * What carries a name in a file: one of these.
     *
     * @param className a class, null for a method
     * @param method a method, null for a class
     */
    record Member(String className, String method) {}

    /**
     * Where a test runs.
     *
     * @param words for the page
     * @param className the class that runs it, which may have inherited it
     * @param invocation which of that class's parameters, from 1, or {@link #ANY}
     */
    record Place(String words, String className, int invocation) {

        static final int ANY = 0;

        private boolean isOf(Run run) {
            return run.outerClass().equals(className) && (invocation == ANY || run.invocation() == invocation);
        }
    }

    /** A test case of a report. */
    private record Run(String className, String name, boolean inVm, String outcome) {

        String outerClass() {
            return className.replaceAll("\\$.*", "");
        }

        private String method() {
            return name.replaceAll("[({\\[ ].*", "");
        }

        /** Behind the method's name: of the class before that of the method. */
        int invocation() {
            Matcher number = INVOCATION.matcher(name);
            return number.find() ? Integer.parseInt(number.group(1)) : Place.ANY;
        }

        /** A class that is skipped as a whole has one case without a method. */
        boolean isOf(Member member) {
            if (member.method() != null) {
                return method().equals(member.method()) || method().isEmpty();
            }
            return className.matches(".*[.$]" + member.className() + "(\\$.*)?");
        }
    }

    private final List<Run> runs = new ArrayList<>();

    private TestReports() {}

    static TestReports below(Path root) throws IOException {
        TestReports reports = new TestReports();
        for (Path file : ConformancePage.files(root, ".xml", path -> path.contains("-reports/TEST-"))) {
            reports.read(Files.readString(file), file.getParent().endsWith("rxe-reports"));
        }
        return reports;
    }

    private void read(String xml, boolean inVm) {
        Matcher testCase = CASE.matcher(xml);
        while (testCase.find()) {
            runs.add(new Run(testCase.group(2), testCase.group(1), inVm, outcome(testCase.group(3))));
        }
    }

    private static String outcome(String body) {
        if (body.contains("<failure") || body.contains("<error")) {
            return "failed";
        }
        return body.contains("<skipped") ? "skipped" : "passed";
    }

    /** What the VM says counts before what a host without devices says. */
    String outcome(Place place, Member member) {
        List<Run> here =
                runs.stream().filter(run -> place.isOf(run) && run.isOf(member)).toList();
        List<Run> inVm = here.stream().filter(Run::inVm).toList();
        return summary(inVm.isEmpty() ? here : inVm);
    }

    private static String summary(List<Run> all) {
        List<String> outcomes = all.stream().map(Run::outcome).distinct().toList();
        if (outcomes.contains("failed")) {
            return "failed";
        }
        return outcomes.contains("passed") ? "passed" : outcomes.isEmpty() ? NONE : "skipped";
    }
}
