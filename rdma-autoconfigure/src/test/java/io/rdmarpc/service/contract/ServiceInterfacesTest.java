package io.rdmarpc.service.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import org.junit.jupiter.api.Test;

class ServiceInterfacesTest {

    @RdmaService
    interface Base {}

    interface Extended extends Base {}

    @RdmaService
    interface Narrowed extends Base {}

    @RdmaService
    interface Other {}

    static class First implements Extended {}

    static class Second extends First implements Other, Comparable<Second> {

        @Override
        public int compareTo(Second other) {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Second;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static class Third implements Narrowed {}

    @Test
    void whenAnInterfaceExtendsAServiceThenItsImplementationsAreServices() {
        assertThat(ServiceInterfaces.of(First.class)).containsExactly(Base.class);
    }

    @Test
    void whenASuperclassImplementsAServiceThenItsSubclassDoes() {
        assertThat(ServiceInterfaces.of(Second.class)).containsExactly(Other.class, Base.class);
    }

    @Test
    void whenAServiceExtendsAnotherThenOnlyTheSubtypeIsFound() {
        assertThat(ServiceInterfaces.of(Third.class)).containsExactly(Narrowed.class);
    }

    @Test
    void whenTheTypeIsAServiceThenItIsFound() {
        assertThat(ServiceInterfaces.of(Narrowed.class)).containsExactly(Narrowed.class);
        assertThat(ServiceInterfaces.of(Object.class)).isEmpty();
    }
}
