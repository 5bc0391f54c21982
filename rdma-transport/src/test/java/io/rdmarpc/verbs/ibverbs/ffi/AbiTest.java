package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceCapability;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.PathMigrationState;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortCapability;
import io.rdmarpc.verbs.attributes.PortState;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmChannelStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmIdStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.ConnParamStruct;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AhAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CompChannelStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CqStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.GidEntryStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MwStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.PortAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpCapStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpInitAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqStruct;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares every size, offset and constant with the C compiler's values of {@code infiniband/verbs.h} and
 * {@code rdma/rdma_cma.h}.
 */
@DisplayName("The memory layouts and codes are those of the C header")
class AbiTest {

    private static final List<StructLayout> WHOLE_STRUCTS = List.of(
            DeviceStruct.LAYOUT,
            ContextStruct.LAYOUT,
            DeviceAttrStruct.LAYOUT,
            PortAttrStruct.LAYOUT,
            GidEntryStruct.LAYOUT,
            AhAttrStruct.LAYOUT,
            QpCapStruct.LAYOUT,
            QpInitAttrStruct.LAYOUT,
            QpAttrStruct.LAYOUT,
            MrStruct.LAYOUT,
            MwStruct.LAYOUT,
            SrqAttrStruct.LAYOUT,
            SrqAttrStruct.INIT_LAYOUT,
            CompChannelStruct.LAYOUT,
            AsyncEventStruct.LAYOUT);

    /** Structs of librdmacm. */
    private static final List<StructLayout> CM_STRUCTS =
            List.of(CmChannelStruct.LAYOUT, ConnParamStruct.LAYOUT, SockAddrStruct.IPV4, SockAddrStruct.IPV6);

    /** Structs of which only the first fields are read. */
    private static final List<StructLayout> PARTIAL_STRUCTS =
            List.of(QpStruct.LAYOUT, CqStruct.LAYOUT, SrqStruct.LAYOUT);

    private final Map<String, Long> expressions = new LinkedHashMap<>();

    @TempDir
    private Path directory;

    private CCompiler compiler;

    @BeforeEach
    void findCompiler() throws IOException, InterruptedException {
        compiler = new CCompiler(directory);
        compiler.requireHeader("infiniband/verbs.h");
        compiler.requireHeader("rdma/rdma_cma.h");
    }

    @Test
    void shouldHaveTheStructsOfTheHeader() throws IOException, InterruptedException {
        WHOLE_STRUCTS.forEach(struct -> expect("sizeof(struct " + name(struct) + ")", struct.byteSize()));
        WHOLE_STRUCTS.forEach(this::expectOffsets);
        PARTIAL_STRUCTS.forEach(this::expectOffsets);
        verify();
    }

    @Test
    void shouldHaveTheFieldsBeforeTheContext() throws IOException, InterruptedException {
        String context = "offsetof(struct verbs_context, context)";
        expect(context + " - offsetof(struct verbs_context, query_port)", ContextStruct.QUERY_PORT_BEFORE);
        expect(context + " - offsetof(struct verbs_context, sz)", ContextStruct.SIZE_BEFORE);
        expect(
                "sizeof(struct verbs_context) - offsetof(struct verbs_context, query_port)",
                ContextStruct.QUERY_PORT_BEFORE + ContextStruct.LAYOUT.byteSize());
        expect("(long) __VERBS_ABI_IS_EXTENDED", -1);
        verify();
    }

    @Test
    void shouldHaveTheWorkRequestsOfTheHeader() throws IOException, InterruptedException {
        expect("sizeof(struct ibv_send_wr)", SendRequests.WR_BYTES);
        expect("sizeof(struct ibv_recv_wr)", ReceiveRequests.WR_BYTES);
        expect("sizeof(struct ibv_sge)", SendRequests.SGE_BYTES);
        expect("sizeof(struct ibv_wc)", WorkCompletions.WC_BYTES);
        FlyweightOffsets.send().forEach((field, offset) -> expectOffset("ibv_send_wr", field, offset));
        FlyweightOffsets.receive().forEach((field, offset) -> expectOffset("ibv_recv_wr", field, offset));
        FlyweightOffsets.scatterGather().forEach((field, offset) -> expectOffset("ibv_sge", field, offset));
        FlyweightOffsets.completion().forEach((field, offset) -> expectOffset("ibv_wc", field, offset));
        verify();
    }

    @Test
    void shouldHaveTheCodesOfTheHeader() throws IOException, InterruptedException {
        expectEnum("IBV_ACCESS_", AccessFlag.values(), AccessFlag::bit);
        expectEnum("IBV_QPS_", QueuePairState.values(), QueuePairState::code);
        expectEnum("IBV_QPT_", QueuePairType.values(), QueuePairType::code);
        expectEnum("IBV_", PathMtu.values(), PathMtu::code);
        expectEnum("IBV_MIG_", PathMigrationState.values(), PathMigrationState::code);
        expectEnum("IBV_PORT_", PortState.values(), PortState::ordinal);
        expectEnum("IBV_GID_TYPE_", GidType.values(), GidType::ordinal);
        expectEnum("IBV_LINK_LAYER_", LinkLayer.values(), LinkLayer::ordinal);
        expectEnum("IBV_DEVICE_", DeviceCapability.values(), DeviceCapability::bit);
        expectEnum("IBV_PORT_", PortCapability.values(), PortCapability::bit);
        expectEnum("IBV_ATOMIC_", AtomicCapability.values(), AtomicCapability::ordinal);
        expectEnum("IBV_NODE_", NodeType.values(), NodeType::code);
        expectEnum("IBV_TRANSPORT_", TransportType.values(), TransportType::code);
        expectConstants("IBV_WR_", SendOpcode.class);
        expectConstants("IBV_SEND_", SendFlags.class);
        expectConstants("IBV_WC_", CompletionOpcode.class);
        expectConstants("IBV_WC_", CompletionStatus.class);
        expectConstants("IBV_QP_", QueuePairMask.class);
        expectConstants("", Errno.class);
        expect("IBV_WC_GRH", WorkCompletions.FLAG_GRH);
        expect("IBV_WC_WITH_IMM", WorkCompletions.FLAG_WITH_IMM);
        expect("IBV_WC_WITH_INV", WorkCompletions.FLAG_WITH_INV);
        expect("IBV_SRQ_LIMIT", SrqAttrStruct.LIMIT);
        expect("IBV_MW_TYPE_2", MwStruct.TYPE_2);
        expect("IBV_ACCESS_OPTIONAL_RANGE", RegistrationVerbs.OPTIONAL_ACCESS);
        expect("IBV_REREG_MR_CHANGE_TRANSLATION", RegistrationVerbs.CHANGE_TRANSLATION);
        expect("IBV_REREG_MR_CHANGE_ACCESS", RegistrationVerbs.CHANGE_ACCESS);
        expect("PROT_READ | PROT_WRITE", HugePageMapping.READ_WRITE);
        expect("MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB", HugePageMapping.ANONYMOUS_HUGE);
        expect("RTLD_LAZY | RTLD_NOLOAD", SymbolVersions.LAZY_NOLOAD);
        verify();
    }

    @Test
    void shouldHaveTheConnectionManagerOfTheHeader() throws IOException, InterruptedException {
        CM_STRUCTS.forEach(struct -> expect("sizeof(struct " + name(struct) + ")", struct.byteSize()));
        CM_STRUCTS.forEach(this::expectOffsets);
        expectOffsets(CmIdStruct.LAYOUT);
        expectOffsets(CmEvent.LAYOUT);
        expect("sizeof(struct rdma_cm_event)", CmEvent.LAYOUT.byteSize());
        expectEnum("RDMA_CM_EVENT_", CmEventType.values(), Enum::ordinal);
        expect("RDMA_PS_TCP", LibRdmacm.PS_TCP);
        expect("RDMA_OPTION_ID", LibRdmacm.OPTION_ID);
        expect("RDMA_OPTION_ID_TOS", LibRdmacm.OPTION_ID_TOS);
        expect("AF_INET", SockAddrStruct.AF_INET);
        expect("AF_INET6", SockAddrStruct.AF_INET6);
        verify();
    }

    @Test
    void shouldHaveTheEventsAndPollOfTheHeaders() throws IOException, InterruptedException {
        expectEnum("IBV_EVENT_", AsyncEventType.values(), AsyncEventType::code);
        for (String member : List.of("cq", "qp", "srq", "wq", "port_num")) {
            expectOffset("ibv_async_event", "element." + member, 0);
        }
        expect("sizeof(struct pollfd)", DescriptorWait.POLLFD_BYTES);
        expectOffset("pollfd", "fd", 0);
        expectOffset("pollfd", "events", DescriptorWait.EVENTS);
        expectOffset("pollfd", "revents", DescriptorWait.REVENTS);
        expect("sizeof(nfds_t)", Long.BYTES);
        expect("POLLIN", LibC.POLLIN);
        expect("EINTR", LibC.EINTR);
        expect("F_GETFL", LibC.F_GETFL);
        expect("F_SETFL", LibC.F_SETFL);
        expect("O_NONBLOCK", LibC.O_NONBLOCK);
        expect("EFD_NONBLOCK", LibC.EFD_NONBLOCK);
        expect("EFD_CLOEXEC", LibC.EFD_CLOEXEC);
        verify();
    }

    private void expectOffsets(StructLayout struct) {
        paths(struct, List.of()).forEach(path -> {
            PathElement[] elements =
                    path.stream().map(PathElement::groupElement).toArray(PathElement[]::new);
            expectOffset(name(struct), String.join(".", path), struct.byteOffset(elements));
        });
    }

    private static List<List<String>> paths(StructLayout struct, List<String> parent) {
        List<List<String>> paths = new ArrayList<>();
        for (MemoryLayout member : struct.memberLayouts()) {
            member.name().ifPresent(name -> {
                List<String> path = new ArrayList<>(parent);
                path.add(name);
                paths.add(path);
                if (member instanceof StructLayout nested) {
                    paths.addAll(paths(nested, path));
                }
            });
        }
        return paths;
    }

    private static String name(StructLayout struct) {
        return struct.name().orElseThrow();
    }

    private void expectOffset(String struct, String field, long offset) {
        expect("offsetof(struct " + struct + ", " + field + ")", offset);
    }

    private <E extends Enum<E>> void expectEnum(String prefix, E[] constants, ToIntFunction<E> code) {
        for (E constant : constants) {
            expect(prefix + constant.name(), code.applyAsInt(constant));
        }
    }

    private void expectConstants(String prefix, Class<?> type) {
        for (Field field : type.getFields()) {
            if (field.getType() == int.class) {
                expect(prefix + field.getName(), valueOf(field));
            }
        }
    }

    private static int valueOf(Field field) {
        try {
            return field.getInt(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private void expect(String expression, long value) {
        expressions.put(expression, value);
    }

    private void verify() throws IOException, InterruptedException {
        StringBuilder source = new StringBuilder("""
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <errno.h>
                #include <fcntl.h>
                #include <poll.h>
                #include <stddef.h>
                #include <stdio.h>
                #include <sys/mman.h>
                #include <sys/eventfd.h>
                #include <infiniband/verbs.h>
                #include <rdma/rdma_cma.h>
                int main(void) {
                """);
        expressions
                .keySet()
                .forEach(c ->
                        source.append("printf(\"%ld\\n\", (long) (").append(c).append("));\n"));
        List<String> lines = compiler.outputOf(source.append("return 0; }\n").toString());
        assertThat(lines).hasSameSizeAs(expressions.keySet());
        List<String> differences = new ArrayList<>();
        Iterator<String> output = lines.iterator();
        expressions.forEach((expression, ours) -> {
            long inC = Long.parseLong(output.next());
            if (inC != ours) {
                differences.add(expression + " is " + inC + " in C, " + ours + " here");
            }
        });
        assertThat(differences).isEmpty();
    }
}
