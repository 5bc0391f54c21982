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

/** Many producers and one consumer: {@link MpscInbox}. */
public final class MpscInboxStress {

    private static final int EACH = 8;

    private MpscInboxStress() {}

    /** An element with its producer and its position in that producer's sequence. */
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

    /**
     * The elements that the consumer has polled. The expected next number of each producer reveals lost, duplicate and
     * reordered elements.
     */
    private static final class Polled {
        private final int[] next = new int[2];
        private int wrong;

        void check(Element element) {
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
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "each element once, in the order of its producer")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element is lost, duplicated or out of order")
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
            Polled polled = new Polled();
            for (Element found = inbox.poll(); found != null; found = inbox.poll()) {
                polled.check(found);
            }
            r.r1 = polled.missing(2);
            r.r2 = polled.wrong;
        }
    }

    /**
     * A thread offers while the consumer polls. The inbox is empty repeatedly, so that the stub is removed and appended
     * again.
     */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "each element once, in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element is lost, duplicated or out of order")
    @State
    public static class ProducerAndConsumer {

        private final MpscInbox<Element> inbox = new MpscInbox<>();
        private final Element[] elements = elements(0);
        private final Meeting start = new Meeting();
        private final Polled polled = new Polled();
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

        /** The consumer, which polls once more after all elements were offered. */
        @Actor
        public void consumer(II_Result r) {
            start.await();
            while (!done) {
                Element found = inbox.poll();
                if (found != null) {
                    polled.check(found);
                }
            }
            for (Element found = inbox.poll(); found != null; found = inbox.poll()) {
                polled.check(found);
            }
            r.r1 = polled.missing(1);
            r.r2 = polled.wrong;
        }
    }

    /**
     * The consumer publishes that it sleeps and then checks for elements. The producer offers and then checks for a
     * sleeping consumer.
     */
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
