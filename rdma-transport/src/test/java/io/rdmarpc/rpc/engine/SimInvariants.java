package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.ClientSlot;
import io.rdmarpc.rpc.engine.client.DeferredCompletion;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.server.ServerSlot;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Invariants of the slots and credits of sessions between two duty cycles. */
@SuppressWarnings("ReferenceEquality") // identity of the node
final class SimInvariants {

    private SimInvariants() {}

    private static void check(boolean right, String violation) {
        if (!right) {
            throw new Simulation.SimulationException(violation);
        }
    }

    static void check(SimSession session) {
        checkClient(session.client(), session.client.node.loop.deferred());
        checkServer(session.server());
        checkPair(session.client(), session.server());
        check(session.client.drains <= 1 && session.server.drains <= 1, "a session was released twice");
        check(session.client.lending.statistics().blocksInUse() >= lent(session.client()), "lent blocks were freed");
    }

    /** The lent credits of a pool are those that sessions and streams hold: none is lost, none is returned twice. */
    static void checkCredits(SimNode node, List<SimSession> sessions, List<SimStream> streams) {
        int held = 0;
        for (SimSession session : sessions) {
            held += session.client.node == node ? Math.max(0, session.client().activeSlots - 1) : 0;
            held += session.server.node == node ? session.server().credits.held() - 1 : 0;
        }
        for (SimStream stream : streams) {
            held += stream.node == node ? stream.ringEntries() : 0;
        }
        int borrowed = node.loop.creditPool().borrowed();
        check(borrowed == held, borrowed + " entries are borrowed, " + held + " are held");
    }

    /** Despite losses, delays and duplicates, there is an entry for each request that may be in flight. */
    private static void checkPair(ClientSession client, ServerSession server) {
        int held = server.credits.held();
        check(
                !client.isOpen() || !server.isOpen() || client.activeSlots <= held,
                client.activeSlots + " requests may be in flight, and there are entries for " + held);
    }

    private static int lent(ClientSession client) {
        int lent = 0;
        for (ClientSlot slot : client.slots) {
            lent += slot == null || slot.lent == null ? 0 : 1;
        }
        return lent;
    }

    private static void checkClient(ClientSession client, DeferredCompletion deferred) {
        int active = 0;
        Set<Object> owned = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ClientSlot slot : client.slots) {
            if (slot == null) {
                continue;
            }
            boolean free = slot.is(ClientSlot.State.FREE);
            active += free ? 0 : 1;
            boolean called = slot.call != null || deferred.isOf(slot);
            check(free == (slot.packet == null) && free != called, "a slot is half free");
            if (!free) {
                checkPacket(Expect.present(slot.packet), owned);
                check(!slot.is(ClientSlot.State.ABANDONED) || slot.lent != null, "an abandoned call lends nothing");
            }
        }
        check(active == client.activeSlots, client.activeSlots + " slots are counted, " + active + " are in use");
    }

    /** No two slots share a packet or its memory, and nothing that is still needed was released. */
    private static void checkPacket(OutgoingPacket packet, Set<Object> owned) {
        check(!packet.released, "a slot's packet was released");
        check(owned.add(packet), "two slots have one packet");
        check(owned.add(Expect.present(packet.block)), "two slots have one block");
    }

    private static void checkServer(ServerSession server) {
        Set<Object> owned = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ServerSlot slot : server.slots) {
            if (slot == null) {
                continue;
            }
            boolean responded = slot.is(ServerSlot.State.RESPONDED);
            check(
                    responded == slot.hasResponse(),
                    "a slot in state " + slot.state() + " and its response do not match");
            check(responded || slot.lent == null, "memory is lent without a response");
            if (slot.response != null) {
                checkPacket(slot.response, owned);
            }
        }
    }

    /** Returns whether the client has no call in progress. */
    static boolean isIdle(SimSession session) {
        return session.client().activeSlots == 0 && !session.client().hasBacklog();
    }

    /** Returns the number of blocks that an end keeps although no call is in progress. */
    static int retainedResponses(SimSession.End end) {
        int kept = 0;
        if (end.live() instanceof ServerSession server) {
            for (ServerSlot slot : server.slots) {
                kept += slot == null || slot.response == null ? 0 : 1;
            }
        }
        return kept;
    }
}
