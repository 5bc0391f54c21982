package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Determines where the flyweights of the hot path write: it sets a field to all ones and searches the bytes that
 * changed. The offsets themselves are private.
 */
final class FlyweightOffsets {

    private FlyweightOffsets() {}

    static Map<String, Long> send() {
        Map<String, Long> offsets = new TreeMap<>();
        Probe<SendRequests> probe = new Probe<>(arena -> SendRequests.allocate(arena, 1, 1), wr -> wr.writeOut(0));
        offsets.put("wr_id", probe.changedBy(wr -> wr.set(0, -1L, 0, 0, 0)));
        offsets.put(
                "next",
                new Probe<>(arena -> SendRequests.allocate(arena, 2, 1), wr -> wr.writeOut(0))
                        .changedBy(wr -> wr.chain(0, 2)));
        offsets.put("sg_list", probe.firstNonZero());
        offsets.put("num_sge", probe.changedBy(wr -> wr.set(0, 0, 0, 0, -1)));
        offsets.put("opcode", probe.changedBy(wr -> wr.set(0, 0, -1, 0, 0)));
        offsets.put("send_flags", probe.changedBy(wr -> wr.set(0, 0, 0, -1, 0)));
        offsets.put("wr.rdma.remote_addr", probe.changedBy(wr -> wr.setRemote(0, -1L, 0)));
        offsets.put("wr.rdma.rkey", probe.changedBy(wr -> wr.setRemote(0, 0, -1)));
        offsets.put("wr.ud.ah", probe.changedBy(wr -> wr.setDatagram(0, -1L, 0, 0)));
        offsets.put("wr.ud.remote_qpn", probe.changedBy(wr -> wr.setDatagram(0, 0, -1, 0)));
        offsets.put("wr.ud.remote_qkey", probe.changedBy(wr -> wr.setDatagram(0, 0, 0, -1)));
        offsets.put("imm_data", probe.changedBy(wr -> wr.setImmediate(0, -1)));
        offsets.put("invalidate_rkey", probe.changedBy(wr -> wr.setInvalidate(0, -1)));
        offsets.putAll(atomic(probe));
        offsets.putAll(bind(probe));
        return offsets;
    }

    private static Map<String, Long> atomic(Probe<SendRequests> probe) {
        return Map.of(
                "wr.atomic.remote_addr", probe.changedBy(wr -> wr.setCompareAndSwap(0, -1L, 0, 0, 0)),
                "wr.atomic.compare_add", probe.changedBy(wr -> wr.setCompareAndSwap(0, 0, 0, -1L, 0)),
                "wr.atomic.swap", probe.changedBy(wr -> wr.setCompareAndSwap(0, 0, 0, 0, -1L)),
                "wr.atomic.rkey", probe.changedBy(wr -> wr.setCompareAndSwap(0, 0, -1, 0, 0)));
    }

    private static Map<String, Long> bind(Probe<SendRequests> probe) {
        Window window = new Window(-1);
        Window none = new Window(0);
        Region region = new Region(-1);
        Region nothing = new Region(0);
        return Map.of(
                "bind_mw.mw", probe.changedBy(wr -> wr.setBind(0, window, 0, nothing, 0, 0, 0)),
                "bind_mw.rkey", probe.changedBy(wr -> wr.setBind(0, none, -1, nothing, 0, 0, 0)),
                "bind_mw.bind_info.mr", probe.changedBy(wr -> wr.setBind(0, none, 0, region, 0, 0, 0)),
                "bind_mw.bind_info.addr", probe.changedBy(wr -> wr.setBind(0, none, 0, nothing, -1L, 0, 0)),
                "bind_mw.bind_info.length", probe.changedBy(wr -> wr.setBind(0, none, 0, nothing, 0, -1L, 0)),
                "bind_mw.bind_info.mw_access_flags", probe.changedBy(wr -> wr.setBind(0, none, 0, nothing, 0, 0, -1)));
    }

    /** An object with a handle. */
    private record Window(long handle) implements MemoryWindow {

        @Override
        public int rkey() {
            return 0;
        }

        @Override
        public int nextRkey() {
            return 0;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    /** An object with a handle. */
    private record Region(long handle) implements MemoryRegion {

        @Override
        public MemorySegment segment() {
            return MemorySegment.NULL;
        }

        @Override
        public int lkey() {
            return 0;
        }

        @Override
        public int rkey() {
            return 0;
        }

        @Override
        public Set<AccessFlag> access() {
            return Set.of();
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    static Map<String, Long> scatterGather() {
        Probe<SendRequests> probe = new Probe<>(arena -> SendRequests.allocate(arena, 1, 1), wr -> wr.writeOut(0));
        long list = SendRequests.WR_BYTES;
        return Map.of(
                "addr", probe.changedBy(wr -> wr.setSge(0, 0, -1L, 0, 0)) - list,
                "length", probe.changedBy(wr -> wr.setSge(0, 0, 0, -1, 0)) - list,
                "lkey", probe.changedBy(wr -> wr.setSge(0, 0, 0, 0, -1)) - list);
    }

    static Map<String, Long> receive() {
        Probe<ReceiveRequests> probe = new Probe<>(arena -> ReceiveRequests.allocate(arena, 1), wr -> wr.writeOut(0));
        Probe<ReceiveRequests> two = new Probe<>(arena -> ReceiveRequests.allocate(arena, 2), wr -> wr.writeOut(0));
        return Map.of(
                "wr_id", probe.changedBy(wr -> wr.set(0, -1L, 0, 0, 0)),
                "next", two.changedBy(wr -> wr.chain(0, 2)),
                "sg_list", probe.firstNonZero(),
                "num_sge", probe.changedBy(wr -> wr.set(0, 0, -1)));
    }

    static Map<String, Long> completion() {
        Probe<WorkCompletions> probe = new Probe<>(arena -> WorkCompletions.allocate(arena, 1), wc -> wc.readIn(1));
        Map<String, Long> offsets = new TreeMap<>();
        offsets.put("wr_id", probe.readBy(wc -> (int) wc.wrId(0)));
        offsets.put("status", probe.readBy(wc -> wc.status(0)));
        offsets.put("opcode", probe.readBy(wc -> wc.opcode(0)));
        offsets.put("vendor_err", probe.readBy(wc -> wc.vendorError(0)));
        offsets.put("byte_len", probe.readBy(wc -> wc.byteLength(0)));
        offsets.put("qp_num", probe.readBy(wc -> wc.qpNumber(0)));
        offsets.put("src_qp", probe.readBy(wc -> wc.sourceQp(0)));
        offsets.put("wc_flags", probe.readBy(wc -> wc.flags(0)));
        offsets.put("imm_data", probe.readBy(wc -> wc.immediate(0)));
        return offsets;
    }

    /**
     * Creates flyweights in memory that this class can read. {@code exchange} copies their content to that memory, or
     * from it.
     */
    private record Probe<T>(Function<Arena, T> factory, Consumer<T> exchange) {

        long changedBy(Consumer<T> write) {
            Seen seen = allocate();
            byte[] before = bytes(seen.memory());
            write.accept(seen.flyweight());
            exchange.accept(seen.flyweight());
            byte[] after = bytes(seen.memory());
            int first = Arrays.mismatch(before, after);
            if (first >= 0) {
                // The low byte of a pointer may be zero; every field is at least aligned for an int.
                return first & -Integer.BYTES;
            }
            throw new AssertionError("nothing was written");
        }

        /** The same in both byte orders. */
        long readBy(Function<T, Integer> read) {
            Seen seen = allocate();
            for (long offset = 0; offset < seen.memory().byteSize(); offset += Integer.BYTES) {
                int before = seen.memory().get(ValueLayout.JAVA_INT, offset);
                seen.memory().set(ValueLayout.JAVA_INT, offset, 0x1234_3412);
                exchange.accept(seen.flyweight());
                if (read.apply(seen.flyweight()) == 0x1234_3412) {
                    return offset;
                }
                seen.memory().set(ValueLayout.JAVA_INT, offset, before);
            }
            throw new AssertionError("nothing was read");
        }

        long firstNonZero() {
            return firstNonZeroAfter(0);
        }

        long firstNonZeroAfter(long from) {
            MemorySegment memory = allocate().memory();
            for (long offset = from; offset < memory.byteSize(); offset += Integer.BYTES) {
                if (memory.get(ValueLayout.JAVA_INT, offset) != 0) {
                    return offset;
                }
            }
            throw new AssertionError("all bytes are zero");
        }

        private Seen allocate() {
            AtomicReference<MemorySegment> memory = new AtomicReference<>();
            T flyweight = factory.apply(new SpyingArena(Arena.ofAuto(), memory));
            exchange.accept(flyweight);
            return new Seen(flyweight, memory.get());
        }

        private final class Seen {
            private final T flyweight;
            private final MemorySegment memory;

            Seen(T flyweight, MemorySegment memory) {
                this.flyweight = flyweight;
                this.memory = memory;
            }

            T flyweight() {
                return flyweight;
            }

            MemorySegment memory() {
                return memory;
            }
        }
    }

    private static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Keeps a reference to its allocation. */
    private record SpyingArena(Arena arena, AtomicReference<MemorySegment> last) implements Arena {

        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            last.set(arena.allocate(byteSize, byteAlignment));
            return last.get();
        }

        @Override
        public MemorySegment.Scope scope() {
            return arena.scope();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
