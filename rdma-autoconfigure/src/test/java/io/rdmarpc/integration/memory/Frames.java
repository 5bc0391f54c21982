package io.rdmarpc.integration.memory;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.remote.RemoteRegion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** A service whose large arguments and results are read by NICs from where they are. */
@RdmaService(name = "test.Frames")
public interface Frames {

    /** Adds up bytes of the caller's, and gives the region back. */
    long sum(RemoteRegion frame);

    /** Adds up a frame that is a part of something. */
    long sumOf(Shot shot);

    /** Takes a frame and does nothing with it. */
    void ignore(RemoteRegion frame);

    /** Fills the caller's memory. */
    void fill(RemoteRegion frame, byte with);

    /** Lends bytes that count up from a first one. */
    RemoteRegion lend(long bytes, byte first);

    /** The same later, and several. */
    CompletableFuture<List<RemoteRegion>> lendLater(int bytes, int regions);

    /** What the server has lent that was not given back. */
    int lent();

    /** Reads a caller's bytes again and again, as long as it may. */
    long readUntilRejected(RemoteRegion frame);

    /** Adds up one after the other. */
    long sumAll(Stream<RemoteRegion> frames);

    /** Lends regions one after the other; each has its number in it. */
    Stream<RemoteRegion> lendMany(int bytes, int regions);

    /** Adds a caller's bytes to {@link #kept}, and answers nothing. */
    @RdmaMethod(oneWay = true)
    void keepSum(RemoteRegion frame);

    /** The same of a message. */
    @RdmaMethod(oneWay = true)
    void keepTotal(MessageBuffer message);

    /** What has been kept. */
    long kept();

    /** A message as it is. */
    long total(MessageBuffer message);

    /** A result that is written where it is sent from. */
    MessageBuffer counting(int bytes);

    /** Its argument, as it came. */
    MessageBuffer echo(MessageBuffer message);

    /** Closes its argument, then answers. */
    @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
    int lengthOf(MessageBuffer message);

    /** The same later. */
    CompletableFuture<MessageBuffer> countingLater(int bytes);

    /** Adds up a message some time later. */
    CompletableFuture<Long> totalLater(MessageBuffer message);

    /** Fails. */
    MessageBuffer none(MessageBuffer message);

    /** Allocates a result, and fails. */
    MessageBuffer halfWritten(int bytes);

    /** Answers with a buffer that it has closed. */
    MessageBuffer closed();

    /** A region with something beside it. */
    record Shot(String name, RemoteRegion frame) {}
}
