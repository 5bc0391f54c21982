package io.rdmarpc.rpc.control.address;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** Where a target may be. Names are looked up at each attempt: they may move. Any thread; looking up blocks. */
public final class TargetAddresses {

    private final List<InetSocketAddress> given;
    private final boolean shuffle;

    public TargetAddresses(List<InetSocketAddress> given, boolean shuffle) {
        if (given.isEmpty()) {
            throw new IllegalArgumentException("a target needs an address");
        }
        this.given = List.copyOf(given);
        this.shuffle = shuffle;
    }

    /** Returns what to try, one after the other. */
    public List<InetSocketAddress> next() throws IOException {
        List<InetSocketAddress> all = new ArrayList<>();
        UnknownHostException unknown = null;
        for (InetSocketAddress address : given) {
            try {
                addResolved(all, address);
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (all.isEmpty() && unknown != null) {
            throw new IOException("there is no host " + unknown.getMessage(), unknown);
        }
        if (shuffle) {
            Collections.shuffle(all);
        }
        return all;
    }

    /** A name may stand for several addresses. */
    private static void addResolved(List<InetSocketAddress> all, InetSocketAddress address)
            throws UnknownHostException {
        if (!address.isUnresolved()) {
            all.add(address);
            return;
        }
        for (InetAddress each : InetAddress.getAllByName(address.getHostString())) {
            all.add(new InetSocketAddress(each, address.getPort()));
        }
    }

    @Override
    public String toString() {
        return given.stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(", "));
    }
}
