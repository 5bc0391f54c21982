package io.rdmarpc.service.contract.check;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares the contracts of services with those that are stored in a directory. A test calls it to fail before a change
 * breaks processes that run another release:
 *
 * <pre>{@code
 * @Test
 * void shouldKeepTheContract() {
 *     ContractCheck.in(Path.of("src/contracts")).verify(Orders.class);
 * }
 * }</pre>
 *
 * <p>The rules are those of a server when a client connects, see {@link ServiceContract#differencesFrom}. The directory
 * belongs to the services of one check: a stored contract of another service counts as removed.
 *
 * <p>Immutable. Two checks of one directory must not approve at the same time.
 */
public final class ContractCheck {

    /** The system property with which {@link #verify} stores the contracts instead of comparing them, if it is true. */
    public static final String APPROVE = "rdma.contracts.approve";

    private final ContractDirectory directory;
    private final UpgradeOrder order;

    private ContractCheck(ContractDirectory directory, UpgradeOrder order) {
        this.directory = directory;
        this.order = order;
    }

    /**
     * Creates a check for upgrades in the order {@link UpgradeOrder#SERVERS_FIRST}.
     *
     * @param directory the directory with the stored contracts; {@link #approve} creates it
     * @return the check
     */
    public static ContractCheck in(Path directory) {
        return new ContractCheck(new ContractDirectory(directory), UpgradeOrder.SERVERS_FIRST);
    }

    /**
     * Sets the order in which processes are upgraded.
     *
     * @param other the order
     * @return a check with this order
     */
    public ContractCheck upgradeOrder(UpgradeOrder other) {
        return new ContractCheck(directory, other);
    }

    /**
     * Verifies services with the default serialization: Kryo without customizers and without evolution.
     *
     * @param services interfaces with {@link io.rdmarpc.annotation.RdmaService}
     * @throws AssertionError if a change needs an approval; the message has the report
     * @throws RdmaContractFileException if a stored contract cannot be read or written
     */
    public void verify(Class<?>... services) {
        ClassLoader loader = Objects.requireNonNullElse(
                Thread.currentThread().getContextClassLoader(), ContractCheck.class.getClassLoader());
        verify(KryoRdmaSerializer.codecFactory(loader, List.of()), services);
    }

    /**
     * Verifies services with the serialization of an application.
     *
     * @param codecs the bean of the application, with its format, evolution and customizers
     * @param services interfaces with {@link io.rdmarpc.annotation.RdmaService}
     * @throws AssertionError if a change needs an approval; the message has the report
     * @throws RdmaContractFileException if a stored contract cannot be read or written
     */
    public void verify(ServiceCodecFactory codecs, Class<?>... services) {
        verify(Arrays.stream(services)
                .map(service -> codecs.codecOf(ServiceDescription.of(service)).contract())
                .toList());
    }

    /**
     * Verifies contracts, or stores them if the system property {@value #APPROVE} is true.
     *
     * @param contracts the current contracts, for example those of
     *     {@link io.rdmarpc.service.server.RdmaServer#contracts()}
     * @throws AssertionError if a change needs an approval; the message has the report
     * @throws RdmaContractFileException if a stored contract cannot be read or written
     */
    public void verify(Collection<ServiceContract> contracts) {
        if (Boolean.getBoolean(APPROVE)) {
            approve(contracts);
            return;
        }
        ContractReport report = compare(contracts);
        if (!report.isAccepted()) {
            throw new AssertionError("The contracts in " + directory + " do not allow this code:\n" + report
                    + "\nTo approve the current contracts, run this test with -D" + APPROVE
                    + "=true, and commit the changed files.");
        }
    }

    /**
     * Compares contracts with the stored ones.
     *
     * @param contracts the current contracts
     * @return the changes of all services that are stored or current
     * @throws RdmaContractFileException if a stored contract cannot be read
     */
    public ContractReport compare(Collection<ServiceContract> contracts) {
        SortedMap<String, ServiceContract> stored = directory.read();
        SortedMap<String, ServiceContract> current = byName(contracts);
        SortedSet<String> names = new TreeSet<>(stored.keySet());
        names.addAll(current.keySet());
        return new ContractReport(
                order,
                names.stream()
                        .map(name -> ContractChange.between(stored.get(name), current.get(name)))
                        .toList());
    }

    /**
     * Stores contracts, and deletes the stored contracts of other services.
     *
     * @param contracts the current contracts
     * @throws RdmaContractFileException if the directory cannot be written
     */
    public void approve(Collection<ServiceContract> contracts) {
        directory.write(byName(contracts).values());
    }

    private SortedMap<String, ServiceContract> byName(Collection<ServiceContract> contracts) {
        SortedMap<String, ServiceContract> result = new TreeMap<>();
        Map<Path, String> files = new HashMap<>();
        for (ServiceContract contract : contracts) {
            String other = files.put(directory.fileOf(contract.name()), contract.name());
            if (other != null) {
                throw new RdmaContractFileException(
                        "services " + other + " and " + contract.name() + " have the same file "
                                + directory.fileOf(contract.name()) + ": rename one, or verify them in two directories",
                        null);
            }
            result.put(contract.name(), contract);
        }
        return result;
    }
}
