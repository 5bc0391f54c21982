package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.DemoProperties;
import io.rdmarpc.demo.Measurement;
import io.rdmarpc.demo.OrderCalls;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.grpc.GrpcDesk;
import io.rdmarpc.demo.live.side.HttpSide;
import io.rdmarpc.transport.NicContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** A client of one transport. It makes calls when the comparison commands it, and ends when the comparison has ended. */
@Component
@Profile("compared-client")
class ComparedClient implements ApplicationRunner, ExitCodeGenerator {

    /** Command with the milliseconds of a slice of the warm-up. */
    static final String WARM_UP = "warm-up";
    /** Command with the milliseconds of a measurement, and its part. */
    static final String MEASURE = "measure";

    /** Calls before each measurement that are not part of it, because the processes were idle. */
    private static final Duration LEAD_IN = Duration.ofMillis(100);

    private final DemoProperties properties;
    private final ObjectProvider<OrderService> rdma;
    private final ObjectProvider<NicContext> nic;
    private final JsonMapper json;
    private final Map<Part, Measurement> measurements = new EnumMap<>(Part.class);

    ComparedClient(
            DemoProperties properties,
            ObjectProvider<OrderService> rdma,
            ObjectProvider<NicContext> nic,
            JsonMapper json) {
        this.properties = properties;
        this.rdma = rdma;
        this.nic = nic;
        this.json = json;
    }

    @Override
    public void run(ApplicationArguments arguments) throws IOException {
        switch (properties.transport()) {
            case RDMA -> obey(rdma.getObject(), describe(nic.getObject()));
            case GRPC -> {
                try (GrpcDesk desk = new GrpcDesk(properties.serverPort())) {
                    obey(desk, "grpc-java over TCP");
                }
            }
            case HTTP -> {
                try (HttpSide side = new HttpSide("http://127.0.0.1:" + properties.serverPort(), json)) {
                    obey(side.desk(), "HTTP over TCP");
                }
            }
        }
    }

    private static String describe(NicContext nic) {
        return "RDMA provider " + nic.providerName() + ", device " + nic.deviceName() + ", path MTU "
                + nic.pathMtu().bytes() + " bytes, chosen: " + nic.reason();
    }

    private void obey(OrderService service, String description) throws IOException {
        OrderCalls calls = new OrderCalls(service);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        respond(description);
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            String[] words = command.split(" ", -1);
            Duration time = Duration.ofMillis(Long.parseLong(words[1]));
            switch (words[0]) {
                case WARM_UP -> respond(warmUp(calls, time).toLine());
                case MEASURE -> respond(measure(calls, Part.valueOf(words[2]), time));
                default -> throw new IllegalArgumentException("unknown command: " + command);
            }
        }
    }

    private static void respond(String line) {
        System.out.println(ComparedProcess.MARK + line);
    }

    /** Calls all parts. Half of the time is for the part whose median decides whether the processes are warm. */
    private WarmUp.Slice warmUp(OrderCalls calls, Duration time) {
        long before = compilerMillis();
        Measurement place = new Measurement("warm-up");
        OrderCalls.run(place, 1, time.dividedBy(2), calls::place);
        for (Part part : new Part[] {Part.FIND, Part.PLACE_MANY, Part.REPORT}) {
            OrderCalls.run(new Measurement("warm-up"), callers(part), time.dividedBy(6), part.call(calls));
        }
        double compilers = 100.0 * (compilerMillis() - before) / time.toMillis();
        return new WarmUp.Slice(place.result().p50(), compilers);
    }

    private static long compilerMillis() {
        @Nullable CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        return compilers == null || !compilers.isCompilationTimeMonitoringSupported()
                ? 0
                : compilers.getTotalCompilationTime();
    }

    private String measure(OrderCalls calls, Part part, Duration time) {
        if (part != Part.FIRST_CALL) {
            OrderCalls.run(new Measurement("lead-in"), callers(part), LEAD_IN, part.call(calls));
        }
        Measurement measurement =
                measurements.computeIfAbsent(part, _ -> new Measurement(part.label(properties.callers())));
        OrderCalls.run(measurement, callers(part), time, part.call(calls));
        return measurement.result().toLine();
    }

    private int callers(Part part) {
        return part.callers(properties.callers());
    }

    @Override
    public int getExitCode() {
        return 0;
    }
}
