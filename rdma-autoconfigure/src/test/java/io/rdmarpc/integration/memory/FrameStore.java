package io.rdmarpc.integration.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.remote.RemoteMemoryStatistics;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.service.client.MessageBuffers;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.util.unit.DataSize;

/** Works on its callers' memory, and lends its own. */
final class FrameStore implements Frames {

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final RemoteMemoryTemplate memory;
    private final LongAdder kept = new LongAdder();

    FrameStore(RemoteMemoryTemplate memory) {
        this.memory = memory;
    }

    static long sum(MemorySegment bytes) {
        long sum = 0;
        for (long i = 0; i < bytes.byteSize(); i++) {
            sum += bytes.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }

    static void count(MemorySegment bytes, byte first) {
        for (long i = 0; i < bytes.byteSize(); i++) {
            bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (first + i));
        }
    }

    @Override
    public long sum(RemoteRegion frame) {
        try (frame;
                LocalRegion local = memory.allocateLocal(DataSize.ofBytes(frame.length()))) {
            frame.read(0, local.slice());
            return sum(local.slice().readable());
        }
    }

    @Override
    public long sumOf(Shot shot) {
        return sum(shot.frame()) + shot.name().length();
    }

    @Override
    public void ignore(RemoteRegion frame) {
        // The caller's lease ends it.
    }

    @Override
    public void fill(RemoteRegion frame, byte with) {
        try (frame;
                LocalRegion local = memory.allocateLocal(DataSize.ofBytes(frame.length()))) {
            local.slice().writable().fill(with);
            frame.write(0, local.slice());
        }
    }

    @Override
    public RemoteRegion lend(long bytes, byte first) {
        try (LocalRegion local = memory.allocateLocal(DataSize.ofBytes(bytes))) {
            count(local.slice().writable(), first);
            return memory.lend(local.slice(), Set.of(RemoteRight.READ), LEASE);
        }
    }

    @Override
    public CompletableFuture<List<RemoteRegion>> lendLater(int bytes, int regions) {
        return CompletableFuture.supplyAsync(() -> IntStream.range(0, regions)
                .mapToObj(first -> lend(bytes, (byte) first))
                .toList());
    }

    @Override
    public int lent() {
        RemoteMemoryStatistics.Lending lending = memory.memory().statistics().lending();
        return lending.regions() + lending.grants();
    }

    @Override
    public long readUntilRejected(RemoteRegion frame) {
        long reads = 0;
        while (frame.read(0, 8).length == 8 && reads < Integer.MAX_VALUE) {
            reads++;
        }
        return reads;
    }

    @Override
    public long sumAll(Stream<RemoteRegion> frames) {
        return frames.mapToLong(this::sum).sum();
    }

    @Override
    public Stream<RemoteRegion> lendMany(int bytes, int regions) {
        return IntStream.range(0, regions).mapToObj(number -> lend(bytes, (byte) number));
    }

    @Override
    public void keepSum(RemoteRegion frame) {
        kept.add(sum(frame));
    }

    @Override
    public void keepTotal(MessageBuffer message) {
        kept.add(total(message));
    }

    @Override
    public long kept() {
        return kept.sum();
    }

    @Override
    public long total(MessageBuffer message) {
        return sum(message.segment());
    }

    @Override
    public MessageBuffer counting(int bytes) {
        MessageBuffer message = MessageBuffers.forResult(bytes);
        count(message.segment().asSlice(0, bytes), (byte) 0);
        message.length(bytes);
        return message;
    }

    @Override
    public MessageBuffer echo(MessageBuffer message) {
        return message;
    }

    @Override
    public int lengthOf(MessageBuffer message) {
        try (message) {
            return message.length();
        }
    }

    @Override
    public CompletableFuture<MessageBuffer> countingLater(int bytes) {
        MessageBuffer message = counting(bytes);
        return CompletableFuture.supplyAsync(() -> message);
    }

    @Override
    public CompletableFuture<Long> totalLater(MessageBuffer message) {
        return CompletableFuture.supplyAsync(
                () -> total(message), CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
    }

    @Override
    public MessageBuffer halfWritten(int bytes) {
        MessageBuffer message = MessageBuffers.forResult(bytes);
        throw new IllegalStateException("none of " + message.capacity());
    }

    @Override
    public MessageBuffer closed() {
        MessageBuffer message = MessageBuffers.forResult(10);
        message.close();
        return message;
    }

    @Override
    public MessageBuffer none(MessageBuffer message) {
        throw new IllegalStateException("none of " + message.length());
    }
}
