package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RpcChannel;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The channels to one target by the number of their engine. The list is live: its size is the number of active engines.
 * Further channels are created when they are read for the first time. Thread-safe.
 */
final class EngineChannels extends AbstractList<RpcChannel> implements RandomAccess {

    private final EnginePlacement placement;
    /** The channel that the application has created. */
    private final Channel home;

    private final IntFunction<Channel> creation;
    /** The further channels; null at numbers for which there is none. Replaced as a whole. */
    private volatile @Nullable Channel[] others = new Channel[0];

    EngineChannels(EnginePlacement placement, Channel home, IntFunction<Channel> creation) {
        this.placement = placement;
        this.home = home;
        this.creation = creation;
    }

    @Override
    public int size() {
        return placement.active();
    }

    /** Returns the channel of an engine, which may be inactive. */
    @Override
    public RpcChannel get(int engine) {
        Objects.checkIndex(engine, placement.count());
        if (engine == home.engine()) {
            return home;
        }
        Channel known = known(engine);
        return known != null ? known : create(engine);
    }

    private @Nullable Channel known(int engine) {
        @Nullable Channel[] all = others;
        return engine < all.length ? all[engine] : null;
    }

    private synchronized Channel create(int engine) {
        Channel known = known(engine);
        if (known != null) {
            return known;
        }
        Channel created = creation.apply(engine);
        @Nullable Channel[] all = Arrays.copyOf(others, Math.max(others.length, engine + 1));
        all[engine] = created;
        others = all;
        return created;
    }

    /** Returns the channels that this list has created. */
    Stream<Channel> others() {
        return Arrays.stream(others).filter(Objects::nonNull).map(Objects::requireNonNull);
    }
}
