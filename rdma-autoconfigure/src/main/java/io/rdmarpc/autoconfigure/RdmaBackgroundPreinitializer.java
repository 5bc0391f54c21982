package io.rdmarpc.autoconfigure;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.ServiceDescription;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.verbs.VerbsProviders;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.util.List;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.util.ClassUtils;

/**
 * What takes long when it is done first and depends on no setting: functions of C, Kryo with a generated serializer, the binding and
 * the validation of the properties. Boot does it on a thread of its own while the application context is being prepared.
 */
final class RdmaBackgroundPreinitializer implements BackgroundPreinitializer {

    private static final String VALIDATION = "jakarta.validation.Validation";

    RdmaBackgroundPreinitializer() {}

    /** A service with what most services have. */
    @RdmaService
    interface Example {

        Answer ask(Question question);
    }

    record Question(String text, int number) {}

    record Answer(List<Question> questions) {}

    @Override
    public void preinitialize() {
        ClassLoader loader = getClass().getClassLoader();
        VerbsProviders.prepare();
        new ServiceCodecFactory(loader, List.of()).codecOf(ServiceDescription.of(Example.class));
        RdmaProperties properties = new Binder(List.of()).bindOrCreate("rdma", RdmaProperties.class);
        if (ClassUtils.isPresent(VALIDATION, loader)) {
            Validating.look(properties);
        }
    }

    /** Apart, because there may be no validation. */
    private static final class Validating {

        static void look(RdmaProperties properties) {
            try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
                var _ = factory.getValidator().validate(properties);
            }
        }
    }
}
