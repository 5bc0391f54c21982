package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.peer.Peers;
import java.util.List;

/** What has to be measured for a row. */
sealed interface Need {

    /**
     * A pair of processes.
     *
     * @param peer whose
     * @param task what they do
     */
    record Calls(Peers peer, Task task) implements Need {

        CallMode mode() {
            return peer.mode(task.cell().payload(), task.cell().callers());
        }
    }

    /**
     * A program that prints a number.
     *
     * @param command what to start; a class of this program, or a script of the project
     * @param words its arguments
     * @param number finds the number in what it prints, as its first group
     * @param isOnce whether it repeats what it measures itself, so that one round is enough
     */
    record Program(String command, List<String> words, String number, boolean isOnce) implements Need {

        /** Among the words: for how many seconds everybody makes calls before any count. */
        static final String WARM_UP = "<warm-up>";

        /** The second word of its last line. */
        static Program of(Class<?> program, String... words) {
            return new Program(program.getName(), List.of(words), "\\S+ +(\\S+)[^\\n]*\\n?$", false);
        }

        boolean isScript() {
            return command.indexOf('/') >= 0;
        }
    }
}
