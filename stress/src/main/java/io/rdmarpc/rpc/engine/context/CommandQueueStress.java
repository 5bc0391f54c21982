package io.rdmarpc.rpc.engine.context;

import io.rdmarpc.stress.Meeting;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Commands for an engine: {@link CommandQueue}. */
public final class CommandQueueStress {

    private static final LoopFailures FAILURES = new LoopFailures(new EngineCounters());

    private CommandQueueStress() {}

    /** Counts the commands that run, and those that run out of the order in which their thread queued them. */
    private static final class Run {
        private int ran;
        private int wrong;
    }

    private static final class Numbered extends EngineCommand {
        private final Run run;
        private final int number;

        Numbered(Run run, int number) {
            this.run = run;
            this.number = number;
        }

        @Override
        public void execute(long nowNanos) {
            if (run.ran++ != number) {
                run.wrong++;
            }
        }
    }

    private static Numbered[] commands(Run run, int count) {
        Numbered[] made = new Numbered[count];
        for (int i = 0; i < count; i++) {
            made[i] = new Numbered(run, i);
        }
        return made;
    }

    /** Another thread and the engine's own thread queue commands while the engine runs them. */
    @JCStressTest
    @Outcome(id = "8, 8, 0", expect = Expect.ACCEPTABLE, desc = "each command once, in the order of its thread")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a command is lost, duplicated or out of order")
    @State
    public static class EachOnceInOrder {

        private static final int EACH = 8;

        private final CommandQueue queue = new CommandQueue(FAILURES);
        private final Run ofOther = new Run();
        private final Run ofOwn = new Run();
        private final Numbered[] others = commands(ofOther, EACH);
        private final Numbered[] own = commands(ofOwn, EACH);
        private final Meeting start = new Meeting();
        private volatile boolean done;

        /** Another thread. */
        @Actor
        public void other() {
            start.await();
            for (Numbered command : others) {
                queue.offer(command);
            }
            done = true;
        }

        /** The engine's thread. */
        @Actor
        public void engine() {
            start.await();
            for (Numbered command : own) {
                queue.offerOwn(command);
                int _ = queue.run(0);
            }
            while (!done) {
                Thread.onSpinWait();
            }
            queue.runAll(0);
        }

        /** After both. */
        @Arbiter
        public void end(III_Result r) {
            r.r1 = ofOther.ran;
            r.r2 = ofOwn.ran;
            r.r3 = ofOther.wrong + ofOwn.wrong;
        }
    }

    /** The engine's thread queues a command after it has seen that another thread has queued one. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "the cause runs before the consequence")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the consequence runs first, or one of them is lost")
    @State
    public static class CauseBeforeConsequence {

        private final CommandQueue queue = new CommandQueue(FAILURES);
        private final Run run = new Run();
        private final Numbered cause = new Numbered(run, 0);
        private final Numbered consequence = new Numbered(run, 1);
        private final Meeting start = new Meeting();
        private volatile boolean queued;

        /** Another thread. */
        @Actor
        public void other() {
            start.await();
            queue.offer(cause);
            queued = true;
        }

        /** The engine's thread. */
        @Actor
        public void engine() {
            start.await();
            while (!queued) {
                Thread.onSpinWait();
            }
            queue.offerOwn(consequence);
            queue.runAll(0);
        }

        /** After both. */
        @Arbiter
        public void end(II_Result r) {
            r.r1 = run.ran;
            r.r2 = run.wrong;
        }
    }
}
