package io.rdmarpc.verbs.interop;

import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Executes cases in lockstep with the peer. The two processes exchange lines of text over a separate connection:
 *
 * <pre>
 *   initiator                     target
 *                                 lays out memory, posts a receive
 *             &lt;-- "ready"
 *   posts, waits for completion
 *             --&gt; "done"          waits for its completion, checks every byte
 *             &lt;-- "right"
 * </pre>
 */
final class InteropRun {

    private static final byte GUARD = (byte) 0xEE;
    private static final long RECEIVED = 1L << 32;
    private static final int IPV4_AT = 20;
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final InteropEnd end;
    private final BufferedReader in;
    private final PrintWriter out;

    InteropRun(InteropEnd end, BufferedReader in, PrintWriter out) {
        this.end = end;
        this.in = in;
        this.out = out;
    }

    void carryOut(InteropCase test, boolean initiates) throws IOException {
        try {
            if (initiates) {
                initiate(test);
            } else {
                serve(test);
            }
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    test + (initiates ? ", as initiator: " : ", as target: ") + e.getMessage(), e);
        }
    }

    // ---- initiator ----

    private void initiate(InteropCase test) throws IOException {
        InteropOperation operation = test.operation();
        boolean fetches = operation == InteropOperation.READ || operation.isAtomic();
        layOut(end.outgoing(), fetches ? new byte[0] : test.payload(), test.size());
        expectLine("ready");
        end.post(test);
        InteropEnd.Completion completion = end.await(test.number());
        require(completion.opcode() == operation.completion(), "completion opcode " + completion.opcode());
        if (operation == InteropOperation.READ) {
            expectBytes(end.outgoing(), 0, test.payload());
        } else if (operation.isAtomic()) {
            // The original value has the byte order of this host.
            expectLong(end.outgoing(), test.before());
        }
        out.println("done");
        expectLine("right");
    }

    // ---- target ----

    private void serve(InteropCase test) throws IOException {
        InteropOperation operation = test.operation();
        layOut(end.exposed(), operation == InteropOperation.READ ? test.payload() : new byte[0], test.size());
        if (operation.isAtomic()) {
            end.exposed().set(ValueLayout.JAVA_LONG, 0, test.before());
        }
        int header = operation.isDatagram() ? InteropEnd.GRH_BYTES : 0;
        long receive = RECEIVED + test.number();
        if (operation.takesReceive()) {
            end.postReceive(operation.isDatagram(), receive, header + test.size());
        }
        out.println("ready");
        if (operation.takesReceive()) {
            checkReceive(test, end.await(receive), header);
        }
        expectLine("done");
        if (operation.isAtomic()) {
            expectLong(end.exposed(), test.after());
        } else {
            expectBytes(end.exposed(), header, test.payload());
        }
        out.println("right");
    }

    private void checkReceive(InteropCase test, InteropEnd.Completion completion, int header) {
        boolean written = test.operation() == InteropOperation.WRITE_WITH_IMM;
        int opcode = written ? CompletionOpcode.RECV_RDMA_WITH_IMM : CompletionOpcode.RECV;
        require(completion.opcode() == opcode, "receive opcode " + completion.opcode());
        require(completion.bytes() == header + test.size(), "received " + completion.bytes() + " bytes");
        boolean immediate = (completion.flags() & WorkCompletions.FLAG_WITH_IMM) != 0;
        require(immediate == test.operation().hasImmediate(), "flags " + completion.flags());
        require(!immediate || completion.immediate() == test.immediate(), "immediate " + completion.immediate());
        if (test.operation().isDatagram()) {
            checkDatagram(completion);
        }
    }

    /** For RoCE v2 over IPv4, bytes 20 to 39 of the route header are the IP header (annex A17.4.5.2). */
    private void checkDatagram(InteropEnd.Completion completion) {
        require((completion.flags() & WorkCompletions.FLAG_GRH) != 0, "no GRH flag");
        require(completion.sourceQp() == end.peer().ud(), "from queue pair " + completion.sourceQp());
        MemorySegment header = end.exposed();
        require(header.get(ValueLayout.JAVA_BYTE, IPV4_AT) == 0x45, "no IPv4 header");
        require(header.get(NETWORK_INT, IPV4_AT + 12) == end.peer().gid().ipv4(), "another source address");
        require(header.get(NETWORK_INT, IPV4_AT + 16) == end.ipv4(), "another destination address");
    }

    // ---- memory ----

    private static void layOut(MemorySegment area, byte[] bytes, int size) {
        area.asSlice(0, size + InteropEnd.GRH_BYTES + InteropEnd.GUARD_BYTES).fill(GUARD);
        MemorySegment.copy(bytes, 0, area, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    private static void expectBytes(MemorySegment area, int at, byte[] expected) {
        byte[] guarded = Arrays.copyOf(expected, expected.length + InteropEnd.GUARD_BYTES);
        Arrays.fill(guarded, expected.length, guarded.length, GUARD);
        long difference = MemorySegment.ofArray(guarded).mismatch(area.asSlice(at, guarded.length));
        require(difference < 0, "byte " + difference + " of " + expected.length + " is wrong");
    }

    private static void expectLong(MemorySegment area, long expected) {
        long found = area.get(ValueLayout.JAVA_LONG, 0);
        require(found == expected, "found %x instead of %x".formatted(found, expected));
        require(area.get(ValueLayout.JAVA_BYTE, Long.BYTES) == GUARD, "more than 8 bytes were written");
    }

    // ---- lines ----

    /** Waits for a line and polls the device meanwhile: the software RNIC makes progress only in polls. */
    private void expectLine(String expected) throws IOException {
        while (!in.ready()) {
            end.poll();
        }
        String line = in.readLine();
        if (line == null) {
            throw new EOFException("the peer has ended");
        }
        require(line.equals(expected), "the peer sent " + line);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
