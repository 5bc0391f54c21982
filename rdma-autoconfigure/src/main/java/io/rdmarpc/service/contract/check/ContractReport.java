package io.rdmarpc.service.contract.check;

import java.util.ArrayList;
import java.util.List;

/**
 * The changes of all services since their contracts were stored.
 *
 * @param order the order in which processes are upgraded
 * @param changes one for each service, ordered by name
 */
public record ContractReport(UpgradeOrder order, List<ContractChange> changes) {

    /**
     * Copies the list.
     *
     * @param order the order in which processes are upgraded
     * @param changes one for each service
     */
    public ContractReport {
        changes = List.copyOf(changes);
    }

    /**
     * Returns whether no change breaks a process, provided that all processes are upgraded in the {@link #order()}.
     *
     * @return false if a change needs an approval
     */
    public boolean isAccepted() {
        return changes.stream().allMatch(change -> order.accepts(change.impact()));
    }

    /**
     * Describes each changed service: which processes a change breaks, why, and what to do.
     *
     * @return lines of text
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (ContractChange change : changes) {
            describe(change, lines);
        }
        return lines;
    }

    private void describe(ContractChange change, List<String> lines) {
        lines.add(summary(change));
        addReasons("Clients of the stored contract cannot call a server of this code:", change.oldClients(), lines);
        addReasons("Clients of this code cannot call a server of the stored contract:", change.newClients(), lines);
        String advice = advice(change.impact());
        if (!advice.isEmpty()) {
            lines.add("  " + advice);
        }
    }

    static String summary(ContractChange change) {
        return change.service()
                + switch (change.impact()) {
                    case NONE -> ": unchanged";
                    case COMPATIBLE -> ": changed, compatible in both directions";
                    case SERVERS_FIRST -> ": changed, servers must be upgraded before clients";
                    case CLIENTS_FIRST -> ": changed, clients must be upgraded before servers";
                    case INCOMPATIBLE -> ": changed, neither old clients nor new clients can call the other release";
                    case NOT_STORED -> ": no contract is stored";
                };
    }

    private static void addReasons(String heading, List<String> reasons, List<String> lines) {
        if (!reasons.isEmpty()) {
            lines.add("  " + heading);
            reasons.forEach(reason -> lines.add("    - " + reason));
        }
    }

    private String advice(Impact impact) {
        if (impact == Impact.NOT_STORED) {
            return "Approve the contract to store it, and commit the file.";
        }
        if (order.accepts(impact)) {
            return "";
        }
        if (impact == Impact.INCOMPATIBLE) {
            return "Export the changed interface under another version, for example @RdmaService(version = \"2\"),"
                    + " together with the old one. If no process of the old release runs any more, approve the change.";
        }
        return "This build expects the upgrade order " + order
                + ". Undo the change, or approve it if all processes are upgraded in the order that it needs.";
    }

    /** Returns the lines, separated by line breaks. */
    @Override
    public String toString() {
        return String.join(System.lineSeparator(), lines());
    }
}
