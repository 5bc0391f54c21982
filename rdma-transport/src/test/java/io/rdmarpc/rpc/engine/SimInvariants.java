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

/** What holds for the slots and credits of sessions between two turns, whatever has happened. */
@SuppressWarnings("ReferenceEquality") // that very node
final class SimInvariants {

    private SimInvariants() {}

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new Simulation.SimulationException(otherwise);
        }
    }

    static void check(SimSession session) {
        checkClient(session.client(), session.client.node.loop.deferred());
        checkServer(session.server());
        checkPair(session.client(), session.server());
        check(session.client.drains <= 1 && session.server.drains <= 1, "a session was let go twice");
        check(session.client.lending.statistics().blocksInUse() >= lent(session.client()), "lent blocks were freed");
    }

    /** What a pool has given out is what sessions and streams hold; none of it is lost, none is given back twice. */
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

    /** Whatever is lost, late or repeated: there is an entry for each request that may be on its way. */
    private static void checkPair(ClientSession client, ServerSession server) {
        int held = server.credits.held();
        check(
                !client.isOpen() || !server.isOpen() || client.activeSlots <= held,
                client.activeSlots + " requests may be on their way, and there are entries for " + held);
    }

    private static int lent(ClientSession client) {
        int lent = 0;
        for (ClientSlot slot : client.slots) {
            lent += slot.lent == null ? 0 : 1;
        }
        return lent;
    }

    private static void checkClient(ClientSession client, DeferredCompletion deferred) {
        int active = 0;
        Set<Object> owned = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ClientSlot slot : client.slots) {
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

    /** No two slots share a packet or its memory, and nothing was given up that is still needed. */
    private static void checkPacket(OutgoingPacket packet, Set<Object> owned) {
        check(!packet.released, "a slot's packet was given up");
        check(owned.add(packet), "two slots have one packet");
        check(owned.add(Expect.present(packet.block)), "two slots have one block");
    }

    private static void checkServer(ServerSession server) {
        Set<Object> owned = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ServerSlot slot : server.slots) {
            boolean answered = slot.is(ServerSlot.State.ANSWERED);
            check(answered == (slot.answer != null), "a slot in state " + slot.state() + " and its answer do not fit");
            check(answered || slot.lent == null, "memory is lent for no answer");
            if (answered) {
                checkPacket(Expect.present(slot.answer), owned);
            }
        }
    }

    /** Nothing is under way at the client. */
    static boolean isIdle(SimSession session) {
        return session.client().activeSlots == 0 && !session.client().hasBacklog();
    }

    /** Blocks that an end keeps although nothing is under way. */
    static int keptAnswers(SimSession.End end) {
        int kept = 0;
        if (end.live() instanceof ServerSession server) {
            for (ServerSlot slot : server.slots) {
                kept += slot.answer == null ? 0 : 1;
            }
        }
        return kept;
    }
}
