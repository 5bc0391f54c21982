package io.rdmarpc.service.contract.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.ServiceContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractCheckTest {

    private static final String FIND = "Order find(long)";
    private static final String CANCEL = "void cancel(long)";
    private static final ServiceContract.Type ORDER = new ServiceContract.Type("Order", "record(id: long)");

    @TempDir
    Path directory;

    private static ServiceContract orders(List<String> signatures, ServiceContract.Type... types) {
        return new ServiceContract(
                "Orders",
                signatures.stream()
                        .map(each -> new ServiceContract.Method(ServiceContract.methodId("Orders", each), each))
                        .toList(),
                Arrays.asList(types));
    }

    private ContractCheck check() {
        return ContractCheck.in(directory);
    }

    private ContractChange change(ServiceContract stored, ServiceContract current) {
        check().approve(List.of(stored));
        return check().compare(List.of(current)).changes().getFirst();
    }

    @Test
    void whenNothingChangesThenThereIsNoImpact() {
        ContractChange change = change(orders(List.of(FIND), ORDER), orders(List.of(FIND), ORDER));

        assertThat(change).isEqualTo(new ContractChange("Orders", Impact.NONE, List.of(), List.of()));
    }

    @Test
    void whenAMethodIsAddedThenServersComeFirst() {
        ContractChange change = change(orders(List.of(FIND)), orders(List.of(FIND, CANCEL)));

        assertThat(change.impact()).isEqualTo(Impact.SERVERS_FIRST);
        assertThat(change.newClients())
                .containsExactly("the client calls void cancel(long), the server offers no method cancel");
        assertThat(change.oldClients()).isEmpty();
    }

    @Test
    void whenAMethodIsRemovedThenClientsComeFirst() {
        ContractChange change = change(orders(List.of(FIND, CANCEL)), orders(List.of(FIND)));

        assertThat(change.impact()).isEqualTo(Impact.CLIENTS_FIRST);
        assertThat(change.oldClients())
                .containsExactly("the client calls void cancel(long), the server offers no method cancel");
    }

    @Test
    void whenAComponentIsAddedThenNeitherReleaseCanCallTheOther() {
        ContractChange change = change(
                orders(List.of(FIND), ORDER),
                orders(List.of(FIND), new ServiceContract.Type("Order", "record(id: long, note: String)")));

        assertThat(change.impact()).isEqualTo(Impact.INCOMPATIBLE);
        assertThat(change.oldClients()).containsExactly("type Order differs: only the server has note");
        assertThat(change.newClients()).containsExactly("type Order differs: only the client has note");
    }

    @Test
    void whenAnEvolvingComponentIsAddedThenTheChangeIsCompatible() {
        ContractChange change = change(
                orders(List.of(FIND), new ServiceContract.Type("Order", "evolving record(id: long)")),
                orders(List.of(FIND), new ServiceContract.Type("Order", "evolving record(id: long, note: String)")));

        assertThat(change.impact()).isEqualTo(Impact.COMPATIBLE);
    }

    @Test
    void whenAServiceIsRemovedThenItsOldClientsBreak() {
        check().approve(List.of(orders(List.of(FIND))));

        ContractChange change = check().compare(List.of()).changes().getFirst();

        assertThat(change.impact()).isEqualTo(Impact.CLIENTS_FIRST);
        assertThat(change.oldClients()).containsExactly("the server does not export service Orders");
    }

    @ParameterizedTest
    @CsvSource({
        "NONE,           true,  true,  true",
        "COMPATIBLE,     true,  true,  true",
        "SERVERS_FIRST,  true,  false, false",
        "CLIENTS_FIRST,  false, true,  false",
        "INCOMPATIBLE,   false, false, false",
        "NOT_STORED,     false, false, false"
    })
    void shouldAcceptWhatTheUpgradeOrderPermits(Impact impact, boolean servers, boolean clients, boolean any) {
        assertThat(UpgradeOrder.SERVERS_FIRST.accepts(impact)).isEqualTo(servers);
        assertThat(UpgradeOrder.CLIENTS_FIRST.accepts(impact)).isEqualTo(clients);
        assertThat(UpgradeOrder.ANY.accepts(impact)).isEqualTo(any);
    }

    @Test
    void whenNoContractIsStoredThenVerifyAsksForAnApproval() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> check().verify(List.of(orders(List.of(FIND)))))
                .withMessageContaining("Orders: no contract is stored")
                .withMessageContaining("run this test with -Drdma.contracts.approve=true");
    }

    @Test
    void whenOldClientsBreakThenVerifySaysWhyAndWhatToDo() {
        check().approve(List.of(orders(List.of(FIND, CANCEL))));

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> check().verify(List.of(orders(List.of(FIND)))))
                .withMessageContaining("""
                        Orders: changed, clients must be upgraded before servers
                          Clients of the stored contract cannot call a server of this code:
                            - the client calls void cancel(long), the server offers no method cancel
                          This build expects the upgrade order SERVERS_FIRST. Undo the change, or approve it""");
        assertThatCode(() -> check().upgradeOrder(UpgradeOrder.CLIENTS_FIRST).verify(List.of(orders(List.of(FIND)))))
                .doesNotThrowAnyException();
    }

    @Test
    void whenNewClientsBreakThenVerifyPassesWithTheDefaultOrder() {
        check().approve(List.of(orders(List.of(FIND))));

        assertThatCode(() -> check().verify(List.of(orders(List.of(FIND, CANCEL)))))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> check().upgradeOrder(UpgradeOrder.ANY).verify(List.of(orders(List.of(FIND, CANCEL)))));
    }

    @Test
    void shouldDeleteContractsOfServicesThatAreGone() {
        check().approve(List.of(orders(List.of(FIND)), new ServiceContract("Bills", List.of(), List.of())));
        check().approve(List.of(orders(List.of(FIND))));

        assertThat(directory).isDirectoryContaining(file -> file.endsWith("Orders.contract"));
        assertThat(directory.resolve("Bills.contract")).doesNotExist();
    }

    @Test
    void whenTwoServicesHaveOneFileNameThenBothAreNamed() {
        ServiceContract one = new ServiceContract("a/Orders", List.of(), List.of());
        ServiceContract other = new ServiceContract("a:Orders", List.of(), List.of());

        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> check().compare(List.of(one, other)))
                .withMessageStartingWith("services a/Orders and a:Orders have the same file ")
                .withMessageEndingWith("a_Orders.contract: rename one, or verify them in two directories");
    }

    @Test
    void whenAFileIsNoContractThenItIsNamed() throws IOException {
        Files.writeString(directory.resolve("Orders.contract"), "hello");

        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> check().compare(List.of()))
                .withMessageContaining("Orders.contract is not a stored contract: line 1 is not valid")
                .withMessageEndingWith("Restore the committed file, or delete it and approve the contract again");
    }

    @Test
    void whenAFileIsNotTextThenItIsNamed() throws IOException {
        Files.write(directory.resolve("Orders.contract"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> check().compare(List.of()))
                .withMessageContaining("Orders.contract is not a stored contract");
    }

    @Test
    void whenAFileHasTheNameOfAnotherServiceThenItIsRejected() throws IOException {
        check().approve(List.of(orders(List.of(FIND))));
        Files.move(directory.resolve("Orders.contract"), directory.resolve("Copy.contract"));

        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> check().compare(List.of()))
                .withMessageContaining("Copy.contract has the contract of Orders, which belongs into ");
    }

    @Test
    void whenTheDirectoryIsAFileThenItIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("contracts"), "");

        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> ContractCheck.in(file).approve(List.of()))
                .withMessageStartingWith("the contracts cannot be written to ");
        assertThatExceptionOfType(RdmaContractFileException.class)
                .isThrownBy(() -> ContractCheck.in(file).compare(List.of()))
                .withMessageContaining(" cannot be read: ");
    }

    /** A service of this test. */
    @RdmaService(name = "test.Parcels")
    interface Parcels {

        record Parcel(String id, int grams) {}

        Parcel find(String id);
    }

    @Test
    void shouldVerifyAnInterface() throws IOException {
        System.setProperty(ContractCheck.APPROVE, "true");
        try {
            check().verify(Parcels.class);
        } finally {
            System.clearProperty(ContractCheck.APPROVE);
        }

        assertThatCode(() -> check().verify(Parcels.class)).doesNotThrowAnyException();
        assertThat(Files.readString(directory.resolve("test.Parcels.contract")))
                .contains("type " + Parcels.Parcel.class.getName() + " record(id: java.lang.String, grams: int)");
    }
}
