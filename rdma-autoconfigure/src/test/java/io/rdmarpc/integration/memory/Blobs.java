package io.rdmarpc.integration.memory;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.remote.lease.RegionToken;
import java.util.List;

/** A service whose arguments and results stay where they are: only their tokens travel. */
@RdmaService(name = "test.Blobs")
public interface Blobs {

    /** Adds up bytes of the caller's. */
    long sum(RegionToken data);

    /** Lends bytes that count up from a first one. */
    Lent lend(int bytes, byte first);

    /** Lends memory that is listened to. */
    RegionToken board();

    /** What the listener of the board was told. */
    List<String> written();

    /** A result by reference, with something beside it. */
    record Lent(RegionToken token, byte first) {}
}
