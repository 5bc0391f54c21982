package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.MeasureOptions;
import io.rdmarpc.verbs.wr.SendFlags;
import picocli.CommandLine.Option;

/** Options of a measurement by verbs. */
final class RunOptions extends MeasureOptions {

    @Option(
            names = {"-I", "--inline_size"},
            description = "maximum bytes of a message that is posted inline (default ${DEFAULT-VALUE})")
    int inlineBytes;

    @Option(names = "--checked", description = "check each request before posting it, as a queue pair does by default")
    boolean checked;

    int flagsForSend() {
        return size <= inlineBytes ? SendFlags.INLINE : 0;
    }
}
