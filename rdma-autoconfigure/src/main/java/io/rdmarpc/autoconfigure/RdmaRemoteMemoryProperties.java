package io.rdmarpc.autoconfigure;

import io.rdmarpc.remote.RemoteRight;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of remote memory: one-sided operations on the memory of other processes.
 *
 * @param enabled Whether remote memory is opened, for use and for lending: a second set of queues of the device, and an
 *     RdmaTemplate.
 * @param listen Whether clients may connect although this process offers no service, to use its memory.
 * @param answerTimeout Time a peer may take to answer a question about memory, connecting included.
 * @param softPort UDP port of the software RNIC for remote memory, beside that of calls. 0 takes any free one.
 * @param lending What peers may have of this process.
 */
@Validated
@ConfigurationProperties("rdma.remote-memory")
public record RdmaRemoteMemoryProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("false") boolean listen,
        @DefaultValue("10s") @LongerThanZero Duration answerTimeout,

        @DefaultValue("0")
        @Min(value = 0, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
        @Max(value = 65535, message = "must be a UDP port, 0 to 65535: 0 takes any free one")
        int softPort,

        @Valid @DefaultValue Lending lending) {

    /**
     * What peers may have of this process. A peer is a host.
     *
     * @param maxSize Most memory allocated for all peers together; with 0 they use only what is granted to them.
     * @param maxSizePerPeer Most memory allocated for one peer.
     * @param maxRegionsPerPeer Most regions of one peer, grants included.
     * @param maxLinksPerPeer Most connections about memory that one peer opens.
     * @param rights What a peer may ask for when it allocates.
     * @param maxLease Longest lease of an allocation; a longer one is shortened to it.
     * @param grace Time after a lease's end in which operations that began before it may end; longer ones
     *     are cut off.
     */
    public record Lending(
            @DefaultValue("1GB")
            @ByteSize(min = 0, max = Long.MAX_VALUE, message = "must be 0B or more: 0B lends by grants only")
            DataSize maxSize,

            @DefaultValue("256MB")
            @ByteSize(min = 0, max = Long.MAX_VALUE, message = "must be 0B or more: 0B lends by grants only")
            DataSize maxSizePerPeer,

            @DefaultValue("20000") @Min(value = 0, message = "must be 0 or more: 20000 suits most")
            int maxRegionsPerPeer,

            @DefaultValue("256") @Min(value = 1, message = "must be 1 or more: 256 suits most")
            int maxLinksPerPeer,

            @DefaultValue({"read", "write", "atomic", "notify"})
            Set<RemoteRight> rights,

            @DefaultValue("1h") @LongerThanZero Duration maxLease,
            @DefaultValue("50ms") @NotNegative Duration grace) {

        /**
         * Copies the rights.
         *
         * @param maxSize for all peers together
         * @param maxSizePerPeer for one peer
         * @param maxRegionsPerPeer regions of one peer
         * @param maxLinksPerPeer links of one peer
         * @param rights what a peer may ask for
         * @param maxLease longest lease
         * @param grace added to leases
         */
        public Lending {
            rights = Set.copyOf(rights);
        }
    }
}
