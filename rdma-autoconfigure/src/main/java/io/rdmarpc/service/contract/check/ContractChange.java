package io.rdmarpc.service.contract.check;

import io.rdmarpc.rpc.ServiceContract;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The difference between the stored and the current contract of one service.
 *
 * @param service the service's name
 * @param impact the impact on processes of both releases
 * @param oldClients why clients of the old release cannot call servers of the new one; empty if they can
 * @param newClients why clients of the new release cannot call servers of the old one; empty if they can
 */
public record ContractChange(String service, Impact impact, List<String> oldClients, List<String> newClients) {

    /**
     * Copies the lists.
     *
     * @param service the service's name
     * @param impact the impact on processes of both releases
     * @param oldClients why clients of the old release cannot call servers of the new one
     * @param newClients why clients of the new release cannot call servers of the old one
     */
    public ContractChange {
        oldClients = List.copyOf(oldClients);
        newClients = List.copyOf(newClients);
    }

    /**
     * Compares two contracts of one service, of which one may be missing.
     *
     * @param stored the contract of the old release, null if there is none
     * @param current the contract of the new release, null if it no longer has the service
     */
    static ContractChange between(@Nullable ServiceContract stored, @Nullable ServiceContract current) {
        if (current == null) {
            return removed(stored);
        }
        if (stored == null) {
            return new ContractChange(current.name(), Impact.NOT_STORED, List.of(), List.of());
        }
        List<String> oldClients = stored.differencesFrom(current);
        List<String> newClients = current.differencesFrom(stored);
        return new ContractChange(
                current.name(),
                stored.equals(current) ? Impact.NONE : impact(oldClients, newClients),
                oldClients,
                newClients);
    }

    private static ContractChange removed(@Nullable ServiceContract stored) {
        if (stored == null) {
            throw new IllegalArgumentException("no contract to compare");
        }
        return new ContractChange(
                stored.name(),
                Impact.CLIENTS_FIRST,
                List.of("the server does not export service " + stored.name()),
                List.of());
    }

    private static Impact impact(List<String> oldClients, List<String> newClients) {
        if (oldClients.isEmpty()) {
            return newClients.isEmpty() ? Impact.COMPATIBLE : Impact.SERVERS_FIRST;
        }
        return newClients.isEmpty() ? Impact.CLIENTS_FIRST : Impact.INCOMPATIBLE;
    }
}
