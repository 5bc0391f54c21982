package io.rdmarpc.concurrent;

import io.rdmarpc.stress.Meeting;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** From many threads to one: {@link MpscInbox}. */
public final class MpscInboxStress {

    private static final int EACH = 8;

    private MpscInboxStress() {}

    /** An element that knows its producer and its place among what that has offered. */
    private static final class Element extends InboxNode {
        private final int producer;
        private final int number;

        Element(int producer, int number) {
            this.producer = producer;
            this.number = number;
        }
    }

    private static Element[] elements(int producer) {
        Element[] made = new Element[EACH];
        for (int i = 0; i < EACH; i++) {
            made[i] = new Element(producer, i);
        }
        return made;
    }

    /** What the consumer sees. The number that it expects next of a producer shows what is lost, comes twice, or is out of order. */
    private static final class Taken {
        private final int[] next = new int[2];
        private int wrong;

        void take(Element element) {
            if (element.number != next[element.producer]++) {
                wrong++;
            }
        }

        int missing(int producers) {
            return producers * EACH - next[0] - next[1];
        }
    }

    /** Two threads offer at the same time. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "all there once, in the order of each producer")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class TwoProducers {

        private final MpscInbox<Element> inbox = new MpscInbox<>();
        private final Element[] ofFirst = elements(0);
        private final Element[] ofSecond = elements(1);
        private final Meeting start = new Meeting();

        /** A producer. */
        @Actor
        public void first() {
            start.await();
            offer(ofFirst);
        }

        /** Another producer. */
        @Actor
        public void second() {
            start.await();
            offer(ofSecond);
        }

        private void offer(Element[] elements) {
            for (Element element : elements) {
                inbox.offer(element);
            }
        }

        /** The consumer, after both. */
        @Arbiter
        public void consumer(II_Result r) {
            Taken taken = new Taken();
            for (Element found = inbox.poll(); found != null; found = inbox.poll()) {
                taken.take(found);
            }
            r.r1 = taken.missing(2);
            r.r2 = taken.wrong;
        }
    }

    /** A thread offers while the consumer polls: the inbox is empty again and again, where the stub comes and goes. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "all there once, in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "lost, twice, or out of order")
    @State
    public static class ProducerAndConsumer {

        private final MpscInbox<Element> inbox = new MpscInbox<>();
        private final Element[] elements = elements(0);
        private final Meeting start = new Meeting();
        private final Taken taken = new Taken();
        private volatile boolean done;

        /** The producer. */
        @Actor
        public void producer() {
            start.await();
            for (Element element : elements) {
                inbox.offer(element);
            }
            done = true;
        }

        /** The consumer; polls once more when all was offered. */
        @Actor
        public void consumer(II_Result r) {
            start.await();
            while (!done) {
                Element found = inbox.poll();
                if (found != null) {
                    taken.take(found);
                }
            }
            for (Element found = inbox.poll(); found != null; found = inbox.poll()) {
                taken.take(found);
            }
            r.r1 = taken.missing(1);
            r.r2 = taken.wrong;
        }
    }

    /** The consumer says that it sleeps and then looks for elements; the producer offers and then looks for a sleeper. */
    @JCStressTest
    @Outcome(
            id = "false, true",
            expect = Expect.FORBIDDEN,
            desc = "the consumer sleeps, and the producer does not wake it")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "one of them sees the other")
    @State
    public static class EmptyMeansSleep {

        private final MpscInbox<Element> inbox = new MpscInbox<>();
        private final Element first = new Element(0, 0);
        private final Element second = new Element(0, 1);
        private final Meeting start = new Meeting();
        private volatile boolean sleeps;

        /** The producer. */
        @Actor
        public void producer(ZZ_Result r) {
            inbox.offer(first);
            start.await();
            inbox.offer(second);
            r.r1 = sleeps;
        }

        /** The consumer. */
        @Actor
        public void consumer(ZZ_Result r) {
            start.await();
            Element found = inbox.poll();
            sleeps = true;
            r.r2 = inbox.isEmpty() && found == first;
        }
    }
}
