package io.rdmarpc.service.contract.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.rpc.ServiceContract;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractFileTest {

    private static final ServiceContract ORDERS = new ServiceContract(
            "shop/com.example.Orders:2",
            List.of(new ServiceContract.Method(0x80000001, "com.example.Order find(long)")),
            List.of(
                    new ServiceContract.Type("(serializer)", "Kryo, form 4, references=false"),
                    new ServiceContract.Type("com.example.Order", "record(id: long, tags: java.util.List<Tag>)")));

    @Test
    void shouldHaveOneLineForEachMethodAndType() {
        assertThat(ContractFile.write(ORDERS).lines().filter(line -> !line.startsWith("#")))
                .containsExactly(
                        "contract 1",
                        "service shop/com.example.Orders:2",
                        "method 0x80000001 com.example.Order find(long)",
                        "type (serializer) Kryo, form 4, references=false",
                        "type com.example.Order record(id: long, tags: java.util.List<Tag>)");
    }

    @Test
    void shouldReadWhatItWrote() {
        assertThat(ContractFile.read(ContractFile.write(ORDERS))).isEqualTo(ORDERS);
    }

    @Test
    void whenTheFileHasWindowsLineBreaksThenItIsRead() {
        assertThat(ContractFile.read(ContractFile.write(ORDERS).replace("\n", "\r\n")))
                .isEqualTo(ORDERS);
    }

    private static String randomText(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(" %\n\r\t:#\u0085\u2028\u00e4x".charAt(random.nextInt(11)));
        }
        return text.toString();
    }

    @Test
    void whenNamesHaveAnyCharactersThenTheyAreReadUnchanged() {
        long seed = Long.getLong("rdma.test.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 500; i++) {
            List<ServiceContract.Type> types = new ArrayList<>();
            for (int j = random.nextInt(4); j > 0; j--) {
                types.add(new ServiceContract.Type("n" + randomText(random), randomText(random)));
            }
            ServiceContract contract = new ServiceContract(
                    "s" + randomText(random),
                    List.of(new ServiceContract.Method(random.nextInt(), "m" + randomText(random))),
                    types);
            assertThat(ContractFile.read(ContractFile.write(contract)))
                    .as("seed %d", seed)
                    .isEqualTo(contract);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    contract 2                          | line 1 is not valid (this release of rdma-rpc reads form 1)
                    contract 1~service a~service b      | line 3 is not valid (a file has one service)
                    contract 1~method 12 void m()       | line 2 is not valid (a method has a hexadecimal number)
                    contract 1~method 0xgg void m()     | line 2 is not valid
                    contract 1~method 0x1               | line 2 is not valid
                    contract 1~type a                   | line 2 is not valid
                    contract 1~type a b%                | line 2 is not valid
                    contract 1~type a b%zz              | line 2 is not valid
                    contract 1~<<<<<<< HEAD             | line 2 is not valid (it starts with <<<<<<<): <<<<<<< HEAD
                    contract 1                          | it has no line that starts with "service "
                    service a                           | it has no line that starts with "contract "
                    """)
    void whenALineIsInvalidThenItIsNamed(String text, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ContractFile.read(text.replace('~', '\n')))
                .withMessageStartingWith(message);
    }
}
